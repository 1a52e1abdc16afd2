import type { Invitation } from '../../model/invitation.ts';
import { id, int, json, keyedHash, nullable, text } from '../columns.ts';
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
  secret: nullable(keyedHash()),
  expiresAt: int(),
  createdAt: int(),
  updatedAt: int(),
});
