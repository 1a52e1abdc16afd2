import { z } from 'zod';
import { wireTimestamp } from '../base/time.ts';
import type { ActivityStatus } from '../model/activity.ts';
import { type AuditFact, SUBJECT_KINDS, type Subject } from '../model/audit-fact.ts';
import { Id, IdOut, refusal, Timestamp } from './common.ts';
import { ActivityStatusName } from './enums.ts';

const ActivityTypeName = z.string().regex(/^ACTIVITY_TYPE_[A-Z0-9_]{1,80}$/, 'must be an activity type');

const WRONG_TIME = 'must be a time such as 2026-01-31T00:00:00Z, or milliseconds since the epoch, as a string';
const ISO = /^\d{4}-\d\d-\d\dT.*(?:Z|[+-]\d\d:\d\d)$/;

function timeOf(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  return ISO.test(text) ? Date.parse(text) : Number.NaN;
}

/** In milliseconds. Ids have times of 48 bits. */
const Time = z
  .string()
  .max(40)
  .transform(timeOf)
  .refine((at) => at >= 0 && at < 2 ** 48, refusal('REQUEST_INVALID', WRONG_TIME));

/** What activities are filtered by. Empty lists do not filter. */
export const activityFilters = {
  filterByStatus: z.array(ActivityStatusName).max(7).optional(),
  filterByType: z.array(ActivityTypeName).max(20).optional(),
  /** The user submitted the activity, or voted on it. */
  filterByUserId: Id.optional(),
  /** A credential of such a user, with which they stamped. */
  filterByCredentialId: Id.optional(),
  filterByWalletId: Id.optional(),
  /** Inclusive. It compares the time in the activity's id, which is made right after `createdAt`. */
  createdAfter: Time.optional(),
  /** Exclusive. */
  createdBefore: Time.optional(),
};

const Filters = z.object(activityFilters);
type Filters = z.output<typeof Filters>;

const distinct = <T>(names: readonly T[] | undefined) => (names?.length ? [...new Set(names)] : undefined);

export const filterOf = ({ filterByStatus, filterByType, createdAfter, createdBefore }: Filters) => ({
  statuses: distinct(filterByStatus as ActivityStatus[] | undefined),
  types: distinct(filterByType),
  from: createdAfter,
  until: createdBefore,
});

/** The subjects that the filters name. */
export function subjectsOf({ filterByUserId, filterByCredentialId, filterByWalletId }: Filters): Subject[] {
  const ids = { user: filterByUserId, credential: filterByCredentialId, wallet: filterByWalletId };
  return SUBJECT_KINDS.flatMap((kind) => (ids[kind] === undefined ? [] : [{ kind, subjectId: ids[kind] }]));
}

export const AuditRow = z.object({
  activityId: IdOut,
  organizationId: IdOut,
  type: z.string(),
  status: ActivityStatusName,
  userId: IdOut,
  /** Absent if the submitter is no user of the organization, or no longer. */
  credentialId: IdOut.optional(),
  walletIds: z.array(IdOut),
  createdAt: Timestamp,
  updatedAt: Timestamp,
});

export const viewFact = (fact: AuditFact, showsCredential: boolean): z.output<typeof AuditRow> => ({
  activityId: fact.activityId,
  organizationId: fact.organizationId,
  type: fact.type,
  status: fact.status,
  userId: fact.userId,
  ...(showsCredential ? { credentialId: fact.credentialId } : {}),
  walletIds: [...fact.walletIds],
  createdAt: wireTimestamp(fact.createdAt),
  updatedAt: wireTimestamp(fact.updatedAt),
});
