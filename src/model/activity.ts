export type ActivityStatus =
  | 'ACTIVITY_STATUS_CREATED'
  | 'ACTIVITY_STATUS_PENDING'
  | 'ACTIVITY_STATUS_COMPLETED'
  | 'ACTIVITY_STATUS_FAILED'
  | 'ACTIVITY_STATUS_CONSENSUS_NEEDED'
  | 'ACTIVITY_STATUS_REJECTED'
  | 'ACTIVITY_STATUS_AUTHENTICATORS_NEEDED';

const TERMINAL: ReadonlySet<string> = new Set([
  'ACTIVITY_STATUS_COMPLETED',
  'ACTIVITY_STATUS_FAILED',
  'ACTIVITY_STATUS_REJECTED',
]);

export function isTerminal(status: ActivityStatus): boolean {
  return TERMINAL.has(status);
}

/** Why an activity failed. `refusal` names our error code if the submitter received an HTTP error. */
export type Failure = {
  code: number;
  message: string;
  details: Record<string, unknown>[];
  refusal?: string;
  refusedUserId?: string;
};

export type Activity = {
  organizationId: string;
  id: string;
  fingerprint: string;
  type: string;
  status: ActivityStatus;
  /** The request body exactly as it was signed. */
  body: Buffer;
  /** JSON of the newest result shape; '' while there is none. */
  result: string;
  failure: Failure | null;
  version: number;
  createdAt: number;
  updatedAt: number;
};

export type Vote = {
  organizationId: string;
  activityId: string;
  id: string;
  userId: string;
  /** Version of the user's row when the vote was cast; 0 if unknown. */
  userVersion: number;
  /** Order of the votes; 0 is the submitter's. Clocks of several processes could disagree. */
  position: number;
  credentialId: string;
  selection: 'VOTE_SELECTION_APPROVED' | 'VOTE_SELECTION_REJECTED';
  scheme: string;
  publicKey: string;
  signature: string;
  /** The signed body of this vote; null if it is the activity's own. */
  message: Buffer | null;
  createdAt: number;
};

/** How long approvals count, from the first approval on. */
const APPROVAL_WINDOW_MS = 24 * 60 * 60 * 1000;

/** The votes that count now: approvals of the newest window, and every rejection. Each user counts once. */
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
