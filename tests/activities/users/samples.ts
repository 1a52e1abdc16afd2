import { apiKey, newKeys, userWith } from '../../support/client.ts';
import { ID, type Samples } from '../../support/samples.ts';

/** Well-formed parameters of each operation's newest version. */
export const users: Samples = {
  CREATE_USERS: () => ({
    users: [
      {
        ...userWith('Sample', []),
        userEmail: 'a@example.com',
        userTags: [],
        apiKeys: [apiKey(newKeys(), { expirationSeconds: '60' })],
      },
    ],
  }),
  DELETE_USERS: () => ({ userIds: [ID] }),
  UPDATE_USER_NAME: () => ({ userId: ID, userName: 'Sample' }),
};
