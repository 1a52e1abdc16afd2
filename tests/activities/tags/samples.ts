import { ID, type Samples } from '../../support/samples.ts';

/** Well-formed parameters of each operation's newest version. */
export const tags: Samples = {
  CREATE_USER_TAG: () => ({ userTagName: 'Sample', userIds: [] }),
  UPDATE_USER_TAG: () => ({ userTagId: ID, addUserIds: [], removeUserIds: [] }),
  DELETE_USER_TAGS: () => ({ userTagIds: [ID] }),
};
