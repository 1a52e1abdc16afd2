import type { SubmitterStamp } from './activity.ts';

/** A further stamp of somebody who submitted or approved an activity, by another of their credentials. It is no vote. */
export type Proof = Omit<SubmitterStamp, 'voteId'> & {
  organizationId: string;
  activityId: string;
  id: string;
  /** The approval whose body the stamp signed: an activity of its own. */
  approvalId: string;
  createdAt: number;
};

/** How long a stamp shows who made it. */
export const PROOF_MS = 24 * 60 * 60 * 1000;

/** Those that counted at a time, as far as their credentials were there. */
export const proofsAt = (proofs: readonly Proof[], time: number): Proof[] =>
  proofs.filter(({ createdAt }) => createdAt <= time && time < createdAt + PROOF_MS);
