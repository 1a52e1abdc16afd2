import { ID, type Samples } from '../../support/samples.ts';

/** Well-formed parameters of each operation's newest version. */
export const invitations: Samples = {
  CREATE_INVITATIONS: () => ({
    invitations: [
      {
        receiverUserName: 'Sample',
        receiverUserEmail: 'sample@example.com',
        receiverUserTags: [],
        accessType: 'ACCESS_TYPE_WEB',
        senderUserId: ID,
      },
    ],
  }),
  DELETE_INVITATION: () => ({ invitationId: ID }),
};
