import { setImmediate } from 'node:timers/promises';
import { ApiError } from '../../base/errors.ts';
import { type Activity, liveVotes, type Vote } from '../../model/activity.ts';
import type { Organization } from '../../model/organization.ts';
import type { Policy } from '../../model/policy.ts';
import { type Proof, proofsAt } from '../../model/proof.ts';
import {
  type CompiledPolicy,
  type Explanation,
  explain,
  type PolicyIndex,
  policyIn,
  type Request,
  type Voter,
} from '../../policy/index.ts';
import type { Reader } from '../../store/types.ts';
import { type ResolvedActivity, resolveActivity } from '../activity/decode.ts';
import { measuring, TooManyEntries, type Velocity } from '../activity/velocity.ts';
import { elementsOf, evaluate } from './authorize.ts';
import type { Decisions } from './decisions.ts';
import { AT_MOST_MS, EXPLAINED, type ExplainedPolicy, shownExplanation } from './explained-policy.ts';
import { type KnownVoters, votersThen } from './past-voters.ts';

type RecordedEvaluation = { policyId: string; outcome: string; reason?: string };

/** The recorded outcome of one policy, with its name and explanation. `note`: why there is no explanation. */
export type ExplainedRecord = RecordedEvaluation &
  Partial<Pick<ExplainedPolicy, 'policyName' | 'effect' | 'failedClause' | 'values'>> & { note?: string };

export type VotesQuestion = {
  /** Where the activity runs. */
  organization: Organization;
  /** The organization whose policies decided, and whose users voted. */
  deciding: Organization;
  activity: Activity;
  /** All votes, in order. */
  votes: readonly Vote[];
  /** Further stamps of the voters. */
  proofs: readonly Proof[];
  /** The policy outcomes at a vote, by the vote's id. */
  recorded: ReadonlyMap<string, readonly RecordedEvaluation[]>;
  /** The recorded policies that still exist. */
  policies: ReadonlyMap<string, Policy>;
};

/** An activity with the stamps on it. */
type Stamped = { stored: Activity; activity: ResolvedActivity; votes: readonly Vote[]; proofs: readonly Proof[] };

/** The values that policies saw at a vote. */
type Seen = { elements: readonly Request[]; voters: readonly Voter[] };

const DELETED = 'the policy was deleted after the decision';
const CHANGED = 'the policy was changed after the decision';
const OTHERWISE = 'the data that the policy reads has changed since the decision';
const TOO_MANY = 'there are too many policies and votes to explain in one answer';
const COUNTED = 'its limits over time had counted too many activities to be computed again';

/** Entries of limits over time that are read for one vote. */
const MOST_ENTRIES = 5000;

/**
 * Explains recorded outcomes with the policies, voters and keys that still exist. A policy that changed since is not explained.
 * Nor is a policy whose outcome would differ today: an explanation must match the recorded outcome.
 */
export async function explainVotes(
  decisions: Decisions,
  read: Reader,
  question: VotesQuestion,
): Promise<Map<string, ExplainedRecord[]>> {
  const { organization, deciding, votes, proofs, recorded, policies } = question;
  const index = await decisions.policies(read, deciding);
  const activity = resolveActivity(read, organization, decisions.decode(question.activity));
  const deadline = decisions.elapsed.now() + AT_MOST_MS;
  let left = EXPLAINED;
  const isEnough = (): boolean => left <= 0 || decisions.elapsed.now() > deadline;
  /** Yields to other requests first. */
  async function explainOne(
    policy: CompiledPolicy,
    element: Request,
    voters: readonly Voter[],
    at: number,
  ): Promise<Explanation> {
    left -= 1;
    await setImmediate();
    return explain(policy, element, voters, at);
  }
  const own = { decisions, read, organization, deciding, policies, index };
  const past: Past = { ...own, known: new Map(), isUncounted: false, isEnough, explainOne };
  const otherwise = (): string => (past.isUncounted ? COUNTED : OTHERWISE);

  async function explained(evaluation: RecordedEvaluation, vote: Vote, seen: Seen | undefined): Promise<ExplainedRecord> {
    const stored = policies.get(evaluation.policyId);
    if (stored === undefined) return { ...evaluation, note: DELETED };
    const named = { ...evaluation, policyName: stored.name, effect: stored.effect };
    const policy = asItWas(past, evaluation.policyId, vote);
    if (policy === undefined) return { ...named, note: CHANGED };
    if (seen === undefined) return { ...named, note: isEnough() ? TOO_MANY : otherwise() };
    for (const element of seen.elements) {
      if (isEnough()) return { ...named, note: TOO_MANY };
      const explanation = await explainOne(policy, element, seen.voters, vote.createdAt);
      if (explanation.outcome === evaluation.outcome) return { ...named, ...shownExplanation(explanation) };
    }
    return { ...named, note: otherwise() };
  }

  const found = new Map<string, ExplainedRecord[]>();
  for (const vote of votes) {
    const evaluations = recorded.get(vote.id);
    if (evaluations === undefined) continue;
    // Deciding again may take long, so yield to other requests.
    await setImmediate();
    const stamped = { stored: question.activity, activity, votes, proofs };
    past.isUncounted = false;
    const seen = isEnough() ? undefined : await seenBy(past, stamped, vote, evaluations);
    const records: ExplainedRecord[] = [];
    for (const evaluation of evaluations) records.push(await explained(evaluation, vote, seen));
    found.set(vote.id, records);
  }
  return found;
}

/** The inputs for reconstructing past decisions. */
type Past = {
  decisions: Decisions;
  read: Reader;
  organization: Organization;
  deciding: Organization;
  policies: ReadonlyMap<string, Policy>;
  index: PolicyIndex;
  known: KnownVoters;
  /** Limits over time had counted too many others, so policies see none of them. */
  isUncounted: boolean;
  isEnough(): boolean;
  explainOne(policy: CompiledPolicy, element: Request, voters: readonly Voter[], at: number): Promise<Explanation>;
};

/** A policy that did not change since the vote. */
function asItWas({ policies, index }: Past, policyId: string, vote: Vote): CompiledPolicy | undefined {
  const stored = policies.get(policyId);
  return stored === undefined || stored.updatedAt > vote.createdAt ? undefined : policyIn(index, policyId)?.policy;
}

/**
 * The values that policies saw at a vote. A refused approval is itself an activity: policies were evaluated on its target
 * activity, with the target's votes. If a policy barred the vote itself, only the vote was evaluated.
 */
async function seenBy(
  past: Past,
  { stored, activity, votes, proofs }: Stamped,
  vote: Vote,
  evaluations: readonly RecordedEvaluation[],
): Promise<Seen | undefined> {
  const { decisions, read, organization } = past;
  const own = await seenAt(past, { stored, activity, votes: votes.slice(0, votes.indexOf(vote) + 1), proofs }, vote);
  const { fingerprint } = activity.intent as { fingerprint?: string };
  const ofVote = activity.kind.votes !== undefined && fingerprint !== undefined;
  if (!ofVote || (await areBars(past, evaluations, vote, own))) return own;
  const target = await read.activities.byFingerprint(organization.id, fingerprint);
  if (target === undefined) return own;
  const cast = (await read.activities.votes(organization.id, target.id)).filter((v) => v.createdAt <= vote.createdAt);
  const given = await read.proofs.ofActivity(organization.id, target.id);
  const about = resolveActivity(read, organization, decisions.decode(target));
  return seenAt(past, { stored: target, activity: about, votes: [...cast, vote], proofs: given }, vote);
}

/** Whether one of the evaluated policies denies the vote itself. */
async function areBars(
  past: Past,
  evaluations: readonly RecordedEvaluation[],
  vote: Vote,
  own: Seen | undefined,
): Promise<boolean> {
  for (const { policyId, outcome } of evaluations) {
    const policy = asItWas(past, policyId, vote);
    if (outcome !== 'OUTCOME_DENY_EXPLICIT' || policy === undefined) continue;
    for (const element of own?.elements ?? []) {
      if (past.isEnough()) return false;
      if ((await past.explainOne(policy, element, own!.voters, vote.createdAt)).outcome === outcome) return true;
    }
  }
  return false;
}

/**
 * The values that policies saw of an activity when the last of its votes was cast. Undefined: the activity's subject no longer
 * exists.
 */
async function seenAt(past: Past, { votes, proofs, ...stamped }: Stamped, vote: Vote): Promise<Seen | undefined> {
  const { decisions, read, deciding, known } = past;
  const approvals = liveVotes(votes, vote.createdAt).filter((v) => v.selection === 'VOTE_SELECTION_APPROVED');
  const stamps = { approvals, proofs: proofsAt(proofs, vote.createdAt) };
  const voters = await votersThen(read, deciding.id, stamps, known);
  const approving = [...new Set(voters.map(({ user }) => user.id))];
  const submitterId = votes[0]?.userId;
  const activity = measuredThen(past, stamped, voters, vote.createdAt);
  const asked = { activity, approving, voters: async () => voters, submitterId, now: vote.createdAt };
  try {
    const { element } = await evaluate(decisions.policies, read, { ...asked, organization: deciding });
    return { elements: inOrder(await elementsOf(activity, deciding.id), element), voters };
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}

/** The activity with the limits over time that covered it, as they were. */
function measuredThen(
  past: Past,
  { stored, activity }: Pick<Stamped, 'stored' | 'activity'>,
  voters: readonly Voter[],
  now: number,
): ResolvedActivity {
  const { decisions, organization, read } = past;
  const { id: activityId, userId } = stored;
  const tags = (voters.find(({ user }) => user.id === userId)?.user.tags as string[] | undefined) ?? [];
  const then: Velocity = async (reader, asked) => {
    try {
      // Each vote reads anew: what an earlier vote read lacks the entries made since.
      return await decisions.velocityThen(MOST_ENTRIES)(reader, { ...asked, activityId, tags });
    } catch (error) {
      if (!(error instanceof TooManyEntries)) throw error;
      past.isUncounted = true;
      return undefined;
    }
  };
  return measuring(then, read, { organization, activity, userId, now });
}

/** The deciding element of a batch first. */
function inOrder(elements: readonly Request[], first: number): Request[] {
  return [...elements.slice(first, first + 1), ...elements.slice(0, first), ...elements.slice(first + 1)];
}
