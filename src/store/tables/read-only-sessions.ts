import { id, int, keyedHash } from '../columns.ts';
import { table } from '../table.ts';

export const readOnlySessions = table('read_only_sessions', {
  organizationId: id(),
  id: id(),
  userId: id(),
  secret: keyedHash(),
  credentialId: id(),
  expiresAt: int(),
  createdAt: int(),
});
