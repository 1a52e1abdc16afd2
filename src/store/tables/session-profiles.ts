import { id, int, nullable, text } from '../columns.ts';
import { table } from '../table.ts';

export const sessionProfiles = table('session_profiles', {
  organizationId: id(),
  id: id(),
  name: text(),
  /** A condition of the policy language. */
  scope: text(),
  expirationSeconds: nullable(int()),
  notes: nullable(text()),
  createdAt: int(),
});
