import { setImmediate } from 'node:timers/promises';
import { ApiError } from '../base/errors.ts';
import { type Activity, liveVotes, type Vote } from '../model/activity.ts';
import type { Organization } from '../model/organization.ts';
import type { Policy } from '../model/policy.ts';
import { explain, type Request, type Voter } from '../policy/index.ts';
import type { Reader } from '../store/types.ts';
import type { Authorizer } from './authorize.ts';
import { type KnownVoters, votersThen } from './past-voters.ts';
import type { Decoder } from './situation.ts';
import type { Snapshots } from './snapshot.ts';
import { AT_MOST_MS, EXPLAINED, readOnce, shownExplanation, type Verdict } from './verdicts.ts';

type Recorded = { policyId: string; outcome: string; reason?: string };

/** What is on record of one policy, with its name and why. `note`: why there is no more to say. */
export type ExplainedVerdict = Recorded &
  Partial<Pick<Verdict, 'policyName' | 'effect' | 'failedClause' | 'values'>> & { note?: string };

export type VotesExplainer = (
  read: Reader,
  question: {
    organization: Organization;
    activity: Activity;
    /** All votes, in order. */
    votes: readonly Vote[];
    /** What policies came to at a vote, by its id. */
    recorded: ReadonlyMap<string, readonly Recorded[]>;
    /** The organization's policies, as they are. */
    policies: ReadonlyMap<string, Policy>;
  },
) => Promise<Map<string, ExplainedVerdict[]>>;

type Seen = { elements: readonly Request[]; voters: readonly Voter[] };

const DELETED = 'the policy was deleted since';
const CHANGED = 'the policy was changed since';
const OTHERWISE = 'what the policy looked at has changed since';
const TOO_MANY = 'not explained: there are too many to explain them all at once';

/** The deciding element of a batch first. */
function inOrder(elements: readonly Request[], first: number): Request[] {
  return [...elements.slice(first, first + 1), ...elements.slice(0, first), ...elements.slice(first + 1)];
}

/**
 * Explains outcomes on record with the policies, voters and keys that there are. A policy that was changed since is not explained, and
 * neither is one that would come to something else today: what is shown is why it came to what is on record.
 */
export function explainVotes({
  authorizer,
  snapshots,
  decode,
}: {
  authorizer: Authorizer;
  snapshots: Snapshots;
  decode: Decoder;
}): VotesExplainer {
  return async (read, { organization, activity, votes, recorded, policies }) => {
    const explained = new Map<string, ExplainedVerdict[]>();
    const matter = readOnce(decode(activity));
    const compiled = new Map((await snapshots(read, organization)).policies.map((entry) => [entry.id, entry.policy]));
    const known: KnownVoters = new Map();
    const deadline = performance.now() + AT_MOST_MS;
    let left = EXPLAINED;
    const isEnough = (): boolean => left <= 0 || performance.now() > deadline;

    /** What policies saw at a vote. Undefined: what the activity is about is no longer there. */
    async function situationAt(vote: Vote): Promise<Seen | undefined> {
      const until = votes.slice(0, votes.indexOf(vote) + 1);
      const approvals = liveVotes(until, vote.createdAt).filter((v) => v.selection === 'VOTE_SELECTION_APPROVED');
      const voters = await votersThen(read, approvals, known);
      try {
        const { element } = await authorizer.suppose(read, {
          organization,
          matter,
          approving: [...new Set(voters.map(({ user }) => user.id))],
          voters: async () => voters,
          submitterId: votes[0]?.userId,
          now: vote.createdAt,
        });
        return { elements: inOrder(await authorizer.elements(read, organization, matter), element), voters };
      } catch (error) {
        if (error instanceof ApiError) return undefined;
        throw error;
      }
    }

    async function verdictOf(evaluation: Recorded, vote: Vote, seen: Seen | undefined): Promise<ExplainedVerdict> {
      const stored = policies.get(evaluation.policyId);
      if (stored === undefined) return { ...evaluation, note: DELETED };
      const named = { ...evaluation, policyName: stored.name, effect: stored.effect };
      const policy = compiled.get(evaluation.policyId);
      if (stored.updatedAt > vote.createdAt || policy === undefined) return { ...named, note: CHANGED };
      if (seen === undefined) return { ...named, note: isEnough() ? TOO_MANY : OTHERWISE };
      for (const element of seen.elements) {
        if (isEnough()) return { ...named, note: TOO_MANY };
        left -= 1;
        // Others are served meanwhile.
        await setImmediate();
        const explanation = explain(policy, element, seen.voters, vote.createdAt);
        if (explanation.outcome === evaluation.outcome) return { ...named, ...shownExplanation(explanation) };
      }
      return { ...named, note: OTHERWISE };
    }

    for (const vote of votes) {
      const evaluations = recorded.get(vote.id);
      if (evaluations === undefined) continue;
      // What was decided is decided anew, which may take long: others are served in between.
      await setImmediate();
      const then = isEnough() ? undefined : await situationAt(vote);
      const verdicts: ExplainedVerdict[] = [];
      for (const evaluation of evaluations) verdicts.push(await verdictOf(evaluation, vote, then));
      explained.set(vote.id, verdicts);
    }
    return explained;
  };
}
