import type { ReadOnlySession } from '../../../../src/model/read-only-session.ts';
import { idOf, NOW } from '../../names.ts';

export const readOnlySessionOf = (organizationId: string, name: string, user = 'user'): ReadOnlySession => ({
  organizationId: idOf(organizationId),
  id: idOf(name),
  userId: idOf(user),
  secret: Buffer.from(`keyed hash of ${name}`),
  credentialId: idOf('credential'),
  expiresAt: NOW,
  createdAt: NOW,
});
