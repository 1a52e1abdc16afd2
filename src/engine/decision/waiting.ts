import { type ActivityStatus, liveVotes, type Vote } from '../../model/activity.ts';
import type { Organization } from '../../model/organization.ts';
import type { Proof } from '../../model/proof.ts';
import type { Reader } from '../../store/types.ts';
import type { ResolvedActivity } from '../activity/decode.ts';
import type { Caller } from '../context.ts';
import { credentialOf } from '../credentials.ts';
import type { Decision } from './authorize.ts';
import type { Decisions } from './decisions.ts';
import { type Demand, demandsOf, type Given, provenBy } from './mfa.ts';

/** All stamps on a waiting activity. */
export type Stamps = { votes: readonly Vote[]; proofs: readonly Proof[] };

/** Votes that count: inside their window, of users who are not frozen. Their credentials still exist in the deciding organization. */
export async function countingVotes(read: Reader, organizationId: string, votes: readonly Vote[], now: number): Promise<Vote[]> {
  const counting: Vote[] = [];
  for (const vote of liveVotes(votes, now)) {
    const isFrozen = (await read.users.get(organizationId, vote.userId))?.frozen === true;
    if (!isFrozen && (await credentialOf(read, organizationId, vote))) counting.push(vote);
  }
  return counting;
}

type Asked = { organization: Organization; activity: ResolvedActivity; now: number; known?: Caller };

/**
 * The outcome for a waiting activity. `status`: that of an activity that keeps waiting. Undefined if the activity runs, or if
 * the decision denies it.
 */
export type Verdict = { decision: Decision; status?: ActivityStatus };

/** The users who have approved, the submitter first, also if their approval no longer counts. */
const whoApproved = (votes: readonly Vote[], counting: readonly Vote[]): string[] => [
  votes[0]!.userId,
  ...counting.filter((vote) => vote.selection === 'VOTE_SELECTION_APPROVED').map(({ userId }) => userId),
];

/** The demands of the MFA policies on the users who have approved. */
export async function demandsOn(
  { mfa }: Pick<Decisions, 'mfa'>,
  read: Reader,
  { organization, activity, now }: Asked,
  { votes, proofs }: Stamps,
): Promise<Demand[]> {
  const given: Given = { organizationId: organization.id, votes, proofs, now };
  const counting = await countingVotes(read, organization.id, votes, now);
  return demandsOf(mfa, read, given, activity, whoApproved(votes, counting));
}

/**
 * Judges policies first, by every vote, so that a denied activity is refused immediately. Then judges the MFA of the voters. No
 * other vote replaces the submitter's, and any other vote counts only if its own user has met their MFA.
 */
export async function judgeWaiting(decisions: Decisions, read: Reader, asked: Asked, stamps: Stamps): Promise<Verdict> {
  const { organization, now } = asked;
  const { votes, proofs } = stamps;
  const counting = await countingVotes(read, organization.id, votes, now);
  const given: Given = { organizationId: organization.id, votes, proofs, now };
  const proven = proofs.length > 0 ? { proven: await provenBy(read, given) } : {};
  const submitterId = votes[0]!.userId;
  const question = { ...asked, ...proven, votes: counting, submitterId };
  const decision = await decisions.authorize(read, question);
  const passes = decision.outcome === 'OUTCOME_ALLOW';
  if (!passes && decision.outcome !== 'OUTCOME_REQUIRES_CONSENSUS') return { decision };
  const demands = await demandsOf(decisions.mfa, read, given, asked.activity, whoApproved(votes, counting));
  const open = new Set(demands.filter(({ missing }) => missing.length > 0).map(({ userId }) => userId));
  if (open.size === 0) return passes ? { decision } : { decision, status: 'ACTIVITY_STATUS_CONSENSUS_NEEDED' };
  if (!open.has(submitterId)) {
    const met = counting.filter(({ userId }) => !open.has(userId));
    const without = await decisions.authorize(read, { ...question, votes: met });
    if (without.outcome === 'OUTCOME_ALLOW') return { decision: without };
  }
  return { decision, status: 'ACTIVITY_STATUS_AUTHENTICATORS_NEEDED' };
}

/** Whether the user has submitted or approved the activity, and has MFA steps left. */
export async function isOpenFor(
  { mfa }: Pick<Decisions, 'mfa'>,
  read: Reader,
  { organization, activity, now }: Asked,
  { votes, proofs }: Stamps,
  userId: string,
): Promise<boolean> {
  const given: Given = { organizationId: organization.id, votes, proofs, now };
  const demands = await demandsOf(mfa, read, given, activity, [userId]);
  return demands.some(({ missing }) => missing.length > 0);
}
