import { SoftAuthenticator } from '../../support/authenticator.ts';
import { apiKey, newKeys, p256Key, userWith } from '../../support/client.ts';
import { ID, type Samples } from '../../support/samples.ts';

/** A user of the first two versions. */
function older() {
  const { apiKeyName, publicKey } = apiKey(newKeys());
  return {
    userName: 'Sample',
    userEmail: 'a@example.com',
    apiKeys: [{ apiKeyName, publicKey }],
    authenticators: [new SoftAuthenticator().register()],
    userTags: [],
  };
}

/** Well-formed parameters of each operation's newest version, and of older ones. */
export const users: Samples = {
  CREATE_API_ONLY_USERS: () => ({
    apiOnlyUsers: [{ userName: 'Sample', userEmail: 'a@example.com', userTags: [], apiKeys: [p256Key(newKeys())] }],
  }),
  ACTIVITY_TYPE_CREATE_USERS: () => ({
    users: [{ ...older(), authenticators: [new SoftAuthenticator().registerV1(ID)], accessType: 'ACCESS_TYPE_API' }],
  }),
  ACTIVITY_TYPE_CREATE_USERS_V2: () => ({ users: [older()] }),
  CREATE_USERS: () => ({
    users: [
      {
        ...userWith('Sample', []),
        userEmail: 'a@example.com',
        userTags: [],
        authenticators: [new SoftAuthenticator().register()],
        apiKeys: [apiKey(newKeys(), { expirationSeconds: '60' })],
      },
    ],
  }),
  DELETE_USERS: () => ({ userIds: [ID] }),
  UPDATE_USER: () => ({
    userId: ID,
    userName: 'Sample',
    userEmail: 'a@example.com',
    userTagIds: [ID],
    userPhoneNumber: '+14155550100',
  }),
  UPDATE_USER_EMAIL: () => ({ userId: ID, userEmail: 'a@example.com' }),
  UPDATE_USER_PHONE_NUMBER: () => ({ userId: ID, userPhoneNumber: '+14155550100' }),
  UPDATE_USER_NAME: () => ({ userId: ID, userName: 'Sample' }),
};
