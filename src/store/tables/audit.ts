import { id, int, text } from '../columns.ts';
import { type ModelOf, table } from '../table.ts';

export const audit = table('audit', {
  organizationId: id(),
  id: id(),
  activityId: id(),
  /** activity.completed, .failed, .rejected, .consensus_needed; vote.approved, .rejected. */
  event: text(),
  actorOrganizationId: id(),
  actorUserId: id(),
  credentialId: id(),
  createdAt: int(),
});

export type AuditEntry = ModelOf<typeof audit>;
