import type { SubmitterStamp } from './activity.ts';

/** A further stamp of a user who submitted or approved an activity, by another credential of the user. It is no vote. */
export type Proof = Omit<SubmitterStamp, 'voteId'> & {
  organizationId: string;
  activityId: string;
  id: string;
  /** The approval whose body the stamp signed. The approval is a separate activity. */
  approvalId: string;
  createdAt: number;
};

/** How long a stamp authenticates its user. */
export const PROOF_MS = 24 * 60 * 60 * 1000;

/** The stamps that counted at a time, if their credentials existed then. */
export const proofsAt = (proofs: readonly Proof[], time: number): Proof[] =>
  proofs.filter(({ createdAt }) => createdAt <= time && time < createdAt + PROOF_MS);
