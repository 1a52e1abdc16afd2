import type { Invitation } from '../../model/invitation.ts';
import { bytes, id, int, json, nullable, text } from '../columns.ts';
import { table } from '../table.ts';

export const invitations = table('invitations', {
  organizationId: id(),
  id: id(),
  userId: id(),
  senderUserId: id(),
  userName: text(),
  email: text(),
  tags: json<Invitation['tags']>(),
  accessType: text(),
  status: text<Invitation['status']>(),
  secret: nullable(bytes()),
  expiresAt: int(),
  createdAt: int(),
  updatedAt: int(),
});
