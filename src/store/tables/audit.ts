import { id, int, text } from '../columns.ts';
import { position } from '../position.ts';
import { type ModelOf, table } from '../table.ts';

/** Events that an activity's row lacks: votes after the submitter's, and the outcome of an activity that waited. */
export const audit = table(
  'audit',
  {
    organizationId: id(),
    id: id(),
    activityId: id(),
    /** activity.completed, .failed, .rejected; vote.approved, .rejected. */
    event: text(),
    actorOrganizationId: id(),
    actorUserId: id(),
    credentialId: id(),
    createdAt: int(),
  },
  { position },
);

export type AuditEntry = ModelOf<typeof audit>;
