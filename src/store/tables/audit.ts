import { int, text } from '../columns.ts';
import { type ModelOf, table } from '../table.ts';

export const audit = table('audit', {
  organizationId: text(),
  id: text(),
  activityId: text(),
  /** activity.completed, .failed, .rejected, .consensus_needed; vote.approved, .rejected. */
  event: text(),
  actorOrganizationId: text(),
  actorUserId: text(),
  credentialId: text(),
  createdAt: int(),
});

export type AuditEntry = ModelOf<typeof audit>;
