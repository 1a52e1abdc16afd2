import { z } from 'zod';
import { wireTimestamp } from '../base/time.ts';
import type { Invitation as InvitationModel } from '../model/invitation.ts';
import { EmailText, Id, IdOut, Label, Timestamp } from './common.ts';
import { AccessType } from './enums.ts';

export const RequiredEmail = EmailText.min(1, 'must be an email address');

export const InvitationParams = z.object({
  receiverUserName: Label,
  receiverUserEmail: RequiredEmail,
  receiverUserTags: z.array(Id).max(100),
  accessType: AccessType,
  senderUserId: Id,
});

export const Invitation = z.object({
  invitationId: IdOut,
  receiverUserName: z.string(),
  receiverEmail: z.string(),
  receiverUserTags: z.array(z.string()),
  accessType: z.string(),
  status: z.string(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  senderUserId: IdOut,
});

export function viewInvitation(invitation: InvitationModel): z.output<typeof Invitation> {
  return {
    invitationId: invitation.id,
    receiverUserName: invitation.userName,
    receiverEmail: invitation.email,
    receiverUserTags: [...invitation.tags],
    accessType: invitation.accessType,
    status: invitation.status,
    createdAt: wireTimestamp(invitation.createdAt),
    updatedAt: wireTimestamp(invitation.updatedAt),
    senderUserId: invitation.senderUserId,
  };
}
