import type { ActivityStatus } from './activity.ts';

/** The facts of an activity that auditors filter by. A worker writes them after the activity. */
export type AuditFact = {
  organizationId: string;
  activityId: string;
  type: string;
  status: ActivityStatus;
  /** The submitter, who may be a user of the parent. */
  userId: string;
  credentialId: string;
  walletIds: readonly string[];
  createdAt: number;
  updatedAt: number;
};

export const SUBJECT_KINDS = ['user', 'credential', 'wallet'] as const;

export type SubjectKind = (typeof SUBJECT_KINDS)[number];

/** A submitter, a voter, a credential of theirs, or a wallet that an activity used. */
export type Subject = { kind: SubjectKind; subjectId: string };

/** An activity's facts with all of its subjects. */
export type Audited = AuditFact & { subjects: readonly Subject[] };

/** The key of the instance's row with the place up to which facts are written, as JSON. */
export const AUDIT_PLACE = 'audit_place';
