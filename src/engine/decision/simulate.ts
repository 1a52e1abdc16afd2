import { setImmediate } from 'node:timers/promises';
import { ApiError, invalid } from '../../base/errors.ts';
import { gate } from '../../base/gate.ts';
import type { Activity, Vote } from '../../model/activity.ts';
import type { Organization } from '../../model/organization.ts';
import { buildIndex, type CompiledPolicy, decide, type Environment, explain, type Voter, warnings } from '../../policy/index.ts';
import type { Reader } from '../../store/types.ts';
import type { ActivityKind } from '../activity/declare.ts';
import type { Caller } from '../context.ts';
import { type Decoder, type Matter, matterOf } from '../request/context.ts';
import { type Authorizer, authorizer as authorizerOf, meetsRootQuorum, viewVoter } from './authorize.ts';
import { explainVotes, type VotesExplainer } from './explain-votes.ts';
import { type KnownVoters, votersThen } from './past-voters.ts';
import type { Snapshots } from './policy-cache.ts';
import { AT_MOST_MS, EXPLAINED, readOnce, shownExplanation, shownWarning, type Verdict, type Warning } from './verdicts.ts';

export type Simulation = {
  outcome: string;
  element: number;
  rootQuorumMet: boolean;
  /** Why no policy was asked. */
  reason?: string;
  policies: Verdict[];
};

export type Divergence = {
  activityId: string;
  type: string;
  status: string;
  createdAt: number;
  before: string;
  after: string;
};

/** Answers "what would be decided" without writing anything. */
export type Judge = {
  warnings(policy: CompiledPolicy): Warning[];
  simulate(
    read: Reader,
    question: {
      organization: Organization;
      caller: Caller;
      type: string;
      parameters: unknown;
      userIds: readonly string[];
      now: number;
    },
  ): Promise<Simulation>;
  /** Why policies came to what is on record for the votes on an activity, by vote. */
  explain: VotesExplainer;
  /**
   * Which past activities a changed set of policies would have decided otherwise. `draft.replaces`: the policy it takes the place of.
   * `page` gives some activities from behind an id on, and where the ones behind them begin, if there are any. Ends early when it has
   * taken long or looked at many: then `next` says where to go on.
   */
  replay(
    read: Reader,
    question: {
      organization: Organization;
      draft: { policy: CompiledPolicy; replaces?: string | undefined };
      page(after: string | undefined): Promise<{ activities: readonly Activity[]; next?: string | undefined }>;
    },
  ): Promise<{ examined: number; found: Divergence[]; next?: string | undefined }>;
};

/** How many activities one request replays, and how many requests do it at once: each holds some activities in memory. */
const REPLAYED = 500;
const REPLAYS = 2;

export type JudgeParts = {
  authorizer: Authorizer;
  snapshots: Snapshots;
  decode: Decoder;
  kinds: readonly ActivityKind[];
  environment: Environment;
};

/** A quorum that is never met, for what policies alone would say. */
const NOBODY = {
  rootQuorum: { userIds: [], threshold: 1 },
  defaultAllowance: false,
};

export function judge({ authorizer, snapshots, decode, kinds, environment }: JudgeParts): Judge {
  /** Somebody counts with all credentials; who asks, with the one that stamped. */
  async function voterOf(read: Reader, organization: Organization, userId: string, caller: Caller): Promise<Voter> {
    const user = await read.users.get(organization.id, userId);
    if (user === undefined) throw new ApiError('NOT_FOUND', `user not found: approverUserIds names ${userId}`);
    const tags = await read.tags.ofMember(organization.id, userId);
    const asking = caller.organization.id === organization.id && caller.user.id === userId;
    return viewVoter(user, tags, asking ? [caller.credential] : await read.credentials.listByUser(organization.id, userId));
  }

  function matterFor(type: string, parameters: unknown): Matter {
    for (const kind of kinds) {
      const version = kind.versions.get(type);
      if (version) return matterOf(kind, version, parameters, '0');
    }
    throw invalid('type', 'must be the type of an activity');
  }

  /** What an activity came to, and what it would have come to. */
  async function outcomes(
    read: Reader,
    redrafted: Authorizer,
    organization: Organization,
    activity: Activity,
    cast: readonly Vote[],
    known: KnownVoters,
  ): Promise<[before: string, after: string]> {
    const matter = readOnce(decode(activity));
    if (matter.kind.votes !== undefined || matter.kind.governedBy === 'root-quorum') return ['', ''];
    const approvals = cast.filter((vote) => vote.selection === 'VOTE_SELECTION_APPROVED');
    const voters = await votersThen(read, approvals, known);
    const supposition = {
      organization,
      matter,
      approving: [...new Set(voters.map(({ user }) => user.id))],
      voters: async () => voters,
      submitterId: cast[0]?.userId,
      now: approvals.at(-1)?.createdAt ?? activity.createdAt,
    };
    return [(await authorizer.suppose(read, supposition)).outcome, (await redrafted.suppose(read, supposition)).outcome];
  }

  const turn = gate(REPLAYS);
  const warningsOf = (policy: CompiledPolicy): Warning[] => warnings(policy, environment).map(shownWarning);

  return {
    warnings: warningsOf,

    async simulate(read, { organization, caller, type, parameters, userIds, now }) {
      const matter = matterFor(type, parameters);
      const own = caller.organization.id === organization.id;
      const approving = userIds.length > 0 ? [...new Set(userIds)] : own ? [caller.user.id] : [];
      const voters = await Promise.all(approving.map((id) => voterOf(read, organization, id, caller)));
      const supposition = { organization, matter, approving, voters: async () => voters, submitterId: approving[0], now };
      const decision = await authorizer.suppose(read, supposition);
      const { outcome, element, builtIn } = decision;
      const elements = await authorizer.elements(read, organization, matter);
      const policies = await snapshots(read, organization);
      const governed = matter.kind.governedBy === 'policy' && matter.kind.votes === undefined;
      // What policies say is worth knowing where they are not asked, too.
      const { policyEvaluations } =
        governed && decision.policyEvaluations.length === 0
          ? decide({ ...NOBODY, index: policies, elements, voters, nowMs: now })
          : decision;
      const known = new Map((await read.policies.list(organization.id)).map((policy) => [policy.id, policy]));
      const compiled = new Map(policies.policies.map((entry) => [entry.id, entry.policy]));
      const verdicts: Verdict[] = [];
      const deadline = performance.now() + AT_MOST_MS;
      for (const evaluation of policyEvaluations.slice(0, EXPLAINED)) {
        const stored = known.get(evaluation.policyId);
        const policy = compiled.get(evaluation.policyId);
        if (stored === undefined || policy === undefined || elements[element] === undefined) continue;
        // Others are served meanwhile.
        await setImmediate();
        const inTime = performance.now() < deadline;
        verdicts.push({
          policyId: stored.id,
          policyName: stored.name,
          effect: stored.effect,
          outcome: evaluation.outcome,
          ...(evaluation.reason === undefined ? {} : { reason: evaluation.reason }),
          ...(inTime ? shownExplanation(explain(policy, elements[element], voters, now)) : { values: [] }),
          warnings: inTime ? warningsOf(policy) : [],
        });
      }
      const rootQuorumMet = meetsRootQuorum(organization, approving);
      return { outcome, element, rootQuorumMet, ...(builtIn === undefined ? {} : { reason: builtIn }), policies: verdicts };
    },

    explain: explainVotes({ authorizer, snapshots, decode }),

    replay: (read, { organization, draft, page }) =>
      turn(async () => {
        const { policy } = draft;
        const others = (await snapshots(read, organization)).policies
          .filter((entry) => entry.id !== draft.replaces)
          .map(({ id, policy: kept }) => ({ id, policy: kept }));
        const changed = buildIndex([...others, { id: draft.replaces ?? 'draft', policy }]);
        const redrafted = authorizerOf(async () => changed);
        const found: Divergence[] = [];
        const known: KnownVoters = new Map();
        let examined = 0;
        let last: string | undefined;
        const deadline = performance.now() + AT_MOST_MS;
        for (;;) {
          const { activities, next } = await page(last);
          const votes = await read.activities.votesOf(
            organization.id,
            activities.map((activity) => activity.id),
          );
          for (const activity of activities) {
            if (examined > 0 && performance.now() > deadline) return { examined, found, next: last };
            // Others are served meanwhile.
            await setImmediate();
            const [before, after] = await outcomes(read, redrafted, organization, activity, votes.get(activity.id) ?? [], known);
            const { id, type, status, createdAt } = activity;
            if (before !== after) found.push({ activityId: id, type, status, createdAt, before, after });
            examined++;
            last = id;
          }
          if (next === undefined) return { examined, found };
          last = next;
          if (examined >= REPLAYED || performance.now() > deadline) return { examined, found, next };
        }
      }),
  };
}
