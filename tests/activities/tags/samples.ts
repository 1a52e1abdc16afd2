import { ID, type Samples } from '../../support/samples.ts';

/** Well-formed parameters of each operation's newest version. */
export const tags: Samples = {
  CREATE_USER_TAG: () => ({ userTagName: 'Sample', userIds: [] }),
  UPDATE_USER_TAG: () => ({ userTagId: ID, addUserIds: [], removeUserIds: [] }),
  DELETE_USER_TAGS: () => ({ userTagIds: [ID] }),
  CREATE_PRIVATE_KEY_TAG: () => ({ privateKeyTagName: 'Sample', privateKeyIds: [] }),
  UPDATE_PRIVATE_KEY_TAG: () => ({ privateKeyTagId: ID, addPrivateKeyIds: [], removePrivateKeyIds: [] }),
  DELETE_PRIVATE_KEY_TAGS: () => ({ privateKeyTagIds: [ID] }),
};
