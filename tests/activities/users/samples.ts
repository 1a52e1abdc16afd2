import { SoftAuthenticator } from '../../support/authenticator.ts';
import { apiKey, newKeys, userWith } from '../../support/client.ts';
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
  UPDATE_USER_NAME: () => ({ userId: ID, userName: 'Sample' }),
};
