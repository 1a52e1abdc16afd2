import { SoftAuthenticator } from '../../support/authenticator.ts';
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
  ACCEPT_INVITATION: () => ({ invitationId: ID, userId: ID, authenticator: new SoftAuthenticator().register() }),
  ACTIVITY_TYPE_ACCEPT_INVITATION: () => ({
    invitationId: ID,
    userId: ID,
    authenticator: new SoftAuthenticator().registerV1(ID),
  }),
  DELETE_INVITATION: () => ({ invitationId: ID }),
};
