import { setImmediate } from 'node:timers/promises';
import { ApiError } from '../../base/errors.ts';
import { type Activity, liveVotes, type Vote } from '../../model/activity.ts';
import type { Organization } from '../../model/organization.ts';
import type { Policy } from '../../model/policy.ts';
import { explain, type Request, type Voter } from '../../policy/index.ts';
import type { Reader } from '../../store/types.ts';
import { type ResolvedActivity, resolveActivity } from '../activity/decode.ts';
import { elementsOf, evaluate } from './authorize.ts';
import type { Decisions } from './decisions.ts';
import { AT_MOST_MS, EXPLAINED, type ExplainedPolicy, shownExplanation } from './explained-policy.ts';
import { type KnownVoters, votersThen } from './past-voters.ts';

type Recorded = { policyId: string; outcome: string; reason?: string };

/** What is on record of one policy, with its name and why. `note`: why there is no more to say. */
export type ExplainedRecord = Recorded &
  Partial<Pick<ExplainedPolicy, 'policyName' | 'effect' | 'failedClause' | 'values'>> & { note?: string };

export type VotesQuestion = {
  organization: Organization;
  activity: Activity;
  /** All votes, in order. */
  votes: readonly Vote[];
  /** What policies came to at a vote, by its id. */
  recorded: ReadonlyMap<string, readonly Recorded[]>;
  /** The organization's policies, as they are. */
  policies: ReadonlyMap<string, Policy>;
};

/** What policies saw at a vote. */
type Seen = { elements: readonly Request[]; voters: readonly Voter[] };

const DELETED = 'the policy was deleted since';
const CHANGED = 'the policy was changed since';
const OTHERWISE = 'what the policy looked at has changed since';
const TOO_MANY = 'not explained: there are too many to explain them all at once';

/**
 * Explains outcomes on record with the policies, voters and keys that there are. A policy that was changed since is not
 * explained, and neither is one that would come to something else today: what is shown is why it came to what is on record.
 */
export async function explainVotes(
  decisions: Decisions,
  read: Reader,
  question: VotesQuestion,
): Promise<Map<string, ExplainedRecord[]>> {
  const { organization, votes, recorded, policies } = question;
  const activity = resolveActivity(read, organization, decisions.decode(question.activity));
  const index = await decisions.policies(read, organization);
  const compiled = new Map(index.policies.map((entry) => [entry.id, entry.policy]));
  const known: KnownVoters = new Map();
  const deadline = performance.now() + AT_MOST_MS;
  let left = EXPLAINED;

  async function explained(evaluation: Recorded, vote: Vote, seen: Seen | undefined): Promise<ExplainedRecord> {
    const stored = policies.get(evaluation.policyId);
    if (stored === undefined) return { ...evaluation, note: DELETED };
    const named = { ...evaluation, policyName: stored.name, effect: stored.effect };
    const policy = compiled.get(evaluation.policyId);
    if (stored.updatedAt > vote.createdAt || policy === undefined) return { ...named, note: CHANGED };
    for (const element of seen?.elements ?? []) {
      if (left-- <= 0 || performance.now() > deadline) return { ...named, note: TOO_MANY };
      // Others are served meanwhile.
      await setImmediate();
      const explanation = explain(policy, element, seen!.voters, vote.createdAt);
      if (explanation.outcome === evaluation.outcome) return { ...named, ...shownExplanation(explanation) };
    }
    return { ...named, note: OTHERWISE };
  }

  const found = new Map<string, ExplainedRecord[]>();
  for (const vote of votes) {
    const evaluations = recorded.get(vote.id);
    if (evaluations === undefined) continue;
    const seen = await seenAt(decisions, read, organization, activity, votes, vote, known);
    const records: ExplainedRecord[] = [];
    for (const evaluation of evaluations) records.push(await explained(evaluation, vote, seen));
    found.set(vote.id, records);
  }
  return found;
}

/** What policies saw when a vote was cast. Undefined: what the activity is about is no longer there. */
async function seenAt(
  { policies }: Decisions,
  read: Reader,
  organization: Organization,
  activity: ResolvedActivity,
  votes: readonly Vote[],
  vote: Vote,
  known: KnownVoters,
): Promise<Seen | undefined> {
  const until = votes.slice(0, votes.indexOf(vote) + 1);
  const approvals = liveVotes(until, vote.createdAt).filter((v) => v.selection === 'VOTE_SELECTION_APPROVED');
  const voters = await votersThen(read, approvals, known);
  const approving = [...new Set(voters.map(({ user }) => user.id))];
  const submitterId = votes[0]?.userId;
  const input = { organization, activity, approving, voters: async () => voters, submitterId, now: vote.createdAt };
  try {
    const { element } = await evaluate(policies, read, input);
    return { elements: inOrder(await elementsOf(activity), element), voters };
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}

/** The deciding element of a batch first. */
function inOrder(elements: readonly Request[], first: number): Request[] {
  return [...elements.slice(first, first + 1), ...elements.slice(0, first), ...elements.slice(first + 1)];
}
