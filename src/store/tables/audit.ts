import { int, text } from '../columns.ts';
import { position } from '../position.ts';
import { type ModelOf, table } from '../table.ts';

/** What the row of an activity does not say: votes after the submitter's, and what became of an activity that waited. */
export const audit = table(
  'audit',
  {
    organizationId: text(),
    id: text(),
    activityId: text(),
    /** activity.completed, .failed, .rejected; vote.approved, .rejected. */
    event: text(),
    actorOrganizationId: text(),
    actorUserId: text(),
    credentialId: text(),
    createdAt: int(),
  },
  { position },
);

export type AuditEntry = ModelOf<typeof audit>;
