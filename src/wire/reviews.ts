import { z } from 'zod';
import { IdOut, Timestamp } from './common.ts';
import { ActivityStatusName } from './enums.ts';
import { BodyWarning, ExplainedPolicy } from './explanations.ts';
import { ExplainedMfa } from './mfa-policies.ts';

/** The value of a root, as JSON in a text. `message`: why it has none. */
const ReviewedRoot = z.object({ root: z.string(), value: z.string().optional(), message: z.string().optional() });

/** One element of a batch, as policies see it. */
const ReviewedElement = z.object({ roots: z.array(ReviewedRoot) });

/** The decision on a waiting activity now. */
export const Verdict = z.object({
  outcome: z.string(),
  element: z.number(),
  rootQuorumMet: z.boolean(),
  reason: z.string().optional(),
  policies: z.array(ExplainedPolicy),
  mfaStatuses: z.array(ExplainedMfa),
  warnings: z.array(BodyWarning).optional(),
});

/** `counts`: the vote counts now. */
const ReviewedVote = z.object({
  voteId: IdOut,
  userId: IdOut,
  userName: z.string(),
  selection: z.enum(['VOTE_SELECTION_APPROVED', 'VOTE_SELECTION_REJECTED']),
  createdAt: Timestamp,
  counts: z.boolean(),
});

/** A user whose approval would count. `completes`: no other approval is needed then. */
const Completer = z.object({ userId: IdOut, userName: z.string(), completes: z.boolean() });

/** The rights of the caller over the activity. */
const PendingFor = z.object({ canApprove: z.boolean(), canReject: z.boolean(), completes: z.boolean() });

/** An earlier activity that paid or approved the account on the same network. */
const EarlierPayment = z.object({ activityId: IdOut, createdAt: Timestamp });

/** `isOwn`: the organization made the other account. Otherwise it was paid. */
const AlikeAccount = z.object({ address: z.string(), activityId: IdOut, isOwn: z.boolean() });

/** An account that the activity pays or approves. */
const Recipient = z.object({
  address: z.string(),
  /** The organization has its key. */
  isOwn: z.boolean(),
  /** The latest one. Absent: none is known. */
  earlier: EarlierPayment.optional(),
  /** Absent: none is known. */
  alike: AlikeAccount.optional(),
});

export const Recipients = z.object({
  recipients: z.array(Recipient),
  moreRecipients: z.boolean(),
  /** Payments before that time are not known. Absent without recipients. */
  recipientsSince: Timestamp.optional(),
});

const Reviewed = z.object({
  activityId: IdOut,
  kind: z.string(),
  elements: z.array(ReviewedElement),
  /** The activity has further elements. */
  moreElements: z.boolean(),
  /** Absent once the activity has ended. */
  verdict: Verdict.optional(),
  votes: z.array(ReviewedVote),
  completers: z.array(Completer),
  /** There may be further completers. */
  more: z.boolean(),
  approvalsLapseAt: Timestamp.optional(),
  pendingFor: PendingFor,
});

/** The part of a review that the engine makes. */
export type Review = z.output<typeof Reviewed>;

export const Review = Reviewed.extend(Recipients.shape);

export const WaitingActivity = z.object({
  activityId: IdOut,
  fingerprint: z.string(),
  type: z.string(),
  kind: z.string(),
  status: ActivityStatusName,
  userId: IdOut,
  createdAt: Timestamp,
  waitsForCaller: z.boolean(),
});

/** As texts: above 100 it is `100+`, and `7+` if not all were judged. */
export const WaitingCounts = z.object({ forCaller: z.string(), all: z.string() });
