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

/**
 * What no list filters by. `recipient`: an account that a completed activity pays or approves on a network. `ends`: how the address of
 * such an account, or of a new account of the organization, begins and ends.
 */
export type SubjectKind = (typeof SUBJECT_KINDS)[number] | 'recipient' | 'ends';

/** A submitter, a voter, a credential of theirs, a wallet that an activity used, or a digest of an address. */
export type Subject = { kind: SubjectKind; subjectId: string };

/** An activity's facts with all of its subjects. */
export type Audited = AuditFact & { subjects: readonly Subject[] };

/** The key of the instance's row with the place up to which facts are written, as JSON. */
export const AUDIT_PLACE = 'audit_place';

/** The key of the instance's row with the time since when facts have recipients by their network, in milliseconds. */
export const RECIPIENTS_SINCE = 'network_recipients_since';
