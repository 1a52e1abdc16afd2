import type { Invitation } from '../../../../src/model/invitation.ts';
import { idOf, NOW } from '../../names.ts';

export const invitationOf = (organizationId: string, id: string, more: Partial<Invitation> = {}): Invitation => ({
  organizationId: idOf(organizationId),
  id: idOf(id),
  senderUserId: idOf('user'),
  userName: 'name',
  email: 'Mail@Example.com',
  tags: [idOf('tag')],
  accessType: 'ACCESS_TYPE_WEB',
  status: 'INVITATION_STATUS_CREATED',
  secret: Buffer.from('keyed hash'),
  expiresAt: NOW + 1000,
  createdAt: NOW,
  updatedAt: NOW,
  ...more,
  userId: idOf(more.userId ?? 'user'),
});
