import type { ActivityStatus } from '../../model/activity.ts';
import type { SubjectKind } from '../../model/audit-fact.ts';
import { id, int, json, text } from '../columns.ts';
import { table } from '../table.ts';

/** Only the worker of the record writes these two. Archived activities keep their rows. */
export const auditFacts = table('audit_facts', {
  organizationId: id(),
  activityId: id(),
  type: text(),
  status: text<ActivityStatus>(),
  userId: id(),
  credentialId: id(),
  walletIds: json<readonly string[]>(),
  createdAt: int(),
  updatedAt: int(),
});

/** The activities of a user, a credential or a wallet. All columns are the key. */
export const auditSubjects = table('audit_subjects', {
  organizationId: id(),
  kind: text<SubjectKind>(),
  subjectId: id(),
  status: text<ActivityStatus>(),
  type: text(),
  activityId: id(),
});
