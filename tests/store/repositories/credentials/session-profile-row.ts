import type { SessionProfile } from '../../../../src/model/session-profile.ts';
import { idOf, NOW } from '../../names.ts';

export const sessionProfileOf = (organizationId: string, id: string, more: Partial<SessionProfile> = {}): SessionProfile => ({
  organizationId: idOf(organizationId),
  id: idOf(id),
  name: 'name',
  scope: 'false',
  expirationSeconds: 60,
  notes: null,
  createdAt: NOW,
  ...more,
});
