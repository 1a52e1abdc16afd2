export const STATUSES = [
  'ACTIVITY_STATUS_CREATED',
  'ACTIVITY_STATUS_PENDING',
  'ACTIVITY_STATUS_COMPLETED',
  'ACTIVITY_STATUS_FAILED',
  'ACTIVITY_STATUS_CONSENSUS_NEEDED',
  'ACTIVITY_STATUS_REJECTED',
  'ACTIVITY_STATUS_AUTHENTICATORS_NEEDED',
] as const;

export type ActivityStatus = (typeof STATUSES)[number];

const TERMINAL: ReadonlySet<string> = new Set([
  'ACTIVITY_STATUS_COMPLETED',
  'ACTIVITY_STATUS_FAILED',
  'ACTIVITY_STATUS_REJECTED',
]);

export function isTerminal(status: ActivityStatus): boolean {
  return TERMINAL.has(status);
}

/** Whether votes decide about it. A pending activity of the operator takes none. */
export const takesVotes = (status: ActivityStatus): boolean => !isTerminal(status) && status !== 'ACTIVITY_STATUS_PENDING';

/** The reason why an activity failed. `refusal` names our error code if the submitter received an HTTP error. */
export type Failure = {
  code: number;
  message: string;
  details: Record<string, unknown>[];
  refusal?: string;
  refusedUserId?: string;
};

/** The submitter's stamp over the activity's own body. It is the first vote, an approval. */
export type SubmitterStamp = {
  voteId: string;
  userId: string;
  /** Version of the user's row at submission. */
  userVersion: number;
  credentialId: string;
  scheme: string;
  publicKey: string;
  signature: string;
};

export type Activity = SubmitterStamp & {
  organizationId: string;
  id: string;
  fingerprint: string;
  type: string;
  status: ActivityStatus;
  /** The request body exactly as it was signed. */
  body: Buffer;
  /** JSON of the newest result shape; '' while there is no result. */
  result: string;
  failure: Failure | null;
  version: number;
  /** Version of the organization's facts on which the newest decision about the activity depends. */
  factsVersion: number;
  createdAt: number;
  updatedAt: number;
};

export type Vote = {
  organizationId: string;
  activityId: string;
  id: string;
  userId: string;
  /** Version of the user's row when the vote was cast. */
  userVersion: number;
  /** Order of the votes; 0 is the submitter's vote. Clocks of several processes could disagree. */
  position: number;
  credentialId: string;
  selection: 'VOTE_SELECTION_APPROVED' | 'VOTE_SELECTION_REJECTED';
  scheme: string;
  publicKey: string;
  signature: string;
  /** The signed body of this vote. Null if it is the activity's own body. */
  message: Buffer | null;
  createdAt: number;
};

/** The submitter's vote. */
export function firstVote(activity: Activity): Vote {
  const { organizationId, voteId, userId, userVersion, credentialId, scheme, publicKey, signature, createdAt } = activity;
  return {
    organizationId,
    activityId: activity.id,
    id: voteId,
    userId,
    userVersion,
    position: 0,
    credentialId,
    selection: 'VOTE_SELECTION_APPROVED',
    scheme,
    publicKey,
    signature,
    message: null,
    createdAt,
  };
}

/** How long approvals count, beginning with the first approval. */
const APPROVAL_WINDOW_MS = 24 * 60 * 60 * 1000;

/** When the approvals of the newest window cease to count. Undefined: none counts now. */
export function approvalsLapse(votes: readonly Vote[], now: number): number | undefined {
  const [first] = liveVotes(votes, now).filter(({ selection }) => selection === 'VOTE_SELECTION_APPROVED');
  return first && first.createdAt + APPROVAL_WINDOW_MS;
}

/** The votes that count now: approvals in the newest window, and every rejection. Each user counts once. */
export function liveVotes(votes: readonly Vote[], now: number): Vote[] {
  let windowStart = Number.NEGATIVE_INFINITY;
  let live: Vote[] = [];
  for (const vote of votes) {
    if (vote.selection === 'VOTE_SELECTION_APPROVED' && vote.createdAt >= windowStart + APPROVAL_WINDOW_MS) {
      windowStart = vote.createdAt;
      live = live.filter((v) => v.selection === 'VOTE_SELECTION_REJECTED');
    }
    live.push(vote);
  }
  const lapsed = now >= windowStart + APPROVAL_WINDOW_MS;
  return live.filter((v) => v.selection === 'VOTE_SELECTION_REJECTED' || !lapsed);
}

/**
 * A sealed body begins with this byte, which never begins a JSON text. Then follow:
 * - the body's timestampMs, by which archived bodies are recognized,
 * - a line break,
 * - the sealed body.
 */
const SEALED = 1;
const LINE = 0x0a;

/** Plain payloads and results are JSON objects, which never begin with this prefix. */
export const SEALED_TEXT = 'sealed:';

export const isSealed = (body: Buffer): boolean => body[0] === SEALED;

export const sealedBody = (timestampMs: string, sealed: Buffer): Buffer =>
  Buffer.concat([Buffer.of(SEALED), Buffer.from(timestampMs), Buffer.of(LINE), sealed]);

export const sealedTime = (body: Buffer): string => body.toString('latin1', 1, body.indexOf(LINE));

export const sealedPart = (body: Buffer): Buffer => body.subarray(body.indexOf(LINE) + 1);
