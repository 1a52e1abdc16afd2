import { hex, id, int, text } from '../columns.ts';
import { table } from '../table.ts';

export const proofs = table('proofs', {
  organizationId: id(),
  activityId: id(),
  id: id(),
  approvalId: id(),
  userId: id(),
  userVersion: int(),
  credentialId: id(),
  scheme: text(),
  publicKey: hex(),
  signature: hex(),
  createdAt: int(),
});
