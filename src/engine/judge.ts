import { setImmediate } from 'node:timers/promises';
import { ApiError, invalid } from '../base/errors.ts';
import type { Activity, Vote } from '../model/activity.ts';
import type { Organization } from '../model/organization.ts';
import { buildIndex, type CompiledPolicy, decide, explain, type Voter } from '../policy/index.ts';
import type { Reader } from '../store/types.ts';
import type { ActivityKind } from './activity.ts';
import { type Authorizer, viewVoter } from './authorize.ts';
import type { Caller } from './context.ts';
import { type Decoder, type Matter, matterOf } from './situation.ts';
import type { Snapshots } from './snapshot.ts';

export type Verdict = {
  policyId: string;
  policyName: string;
  effect: string;
  outcome: string;
  reason?: string;
  /** The first clause that is not true, and where it stands. */
  failedClause?: { part: string; text: string; line: number; column: number; result: string; message?: string };
  /** What the paths of the policy stood for. */
  values: { part: string; path: string; value?: string; message?: string }[];
};

export type Simulation = { outcome: string; element: number; rootQuorumMet: boolean; policies: Verdict[] };

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
  /**
   * Which of these activities a changed set of policies would have decided otherwise. `draft.replaces`: the policy it takes the place of.
   * Ends early when it has taken long: `examined` is how many it looked at, one at least.
   */
  replay(
    read: Reader,
    question: {
      organization: Organization;
      draft: { policy: CompiledPolicy; replaces?: string | undefined };
      activities: readonly Activity[];
    },
  ): Promise<{ examined: number; found: Divergence[] }>;
};

/** How long one request replays activities. */
const REPLAY_MS = 1000;

/** How many policies a simulation explains. */
const EXPLAINED = 200;

/** JSON of a value that may hold bigints and byte strings, cut to what a person reads. */
function shown(value: unknown): string {
  const text =
    JSON.stringify(value, (_, v: unknown) =>
      typeof v === 'bigint' ? v.toString() : v instanceof Map ? Object.fromEntries(v) : v,
    ) ?? '';
  return text.length > 500 ? `${text.slice(0, 500)}…` : text;
}

export type JudgeParts = {
  authorizer: Authorizer;
  snapshots: Snapshots;
  decode: Decoder;
  kinds: readonly ActivityKind[];
};

export function judge({ authorizer, snapshots, decode, kinds }: JudgeParts): Judge {
  async function voterOf(read: Reader, organization: Organization, userId: string): Promise<Voter> {
    const user = await read.users.get(organization.id, userId);
    if (user === undefined) throw new ApiError('NOT_FOUND', `user not found: approverUserIds names ${userId}`);
    const [tags, credentials] = await Promise.all([
      read.tags.ofMember(organization.id, userId),
      read.credentials.listByUser(organization.id, userId),
    ]);
    return viewVoter(user, tags, credentials);
  }

  function matterFor(type: string, parameters: unknown): Matter {
    for (const kind of kinds) {
      const version = kind.versions.get(type);
      if (version && kind.votes === undefined) return matterOf(kind, version, parameters, '0');
    }
    throw invalid('type', 'must be the type of an activity that policies can decide on');
  }

  const ownAllowance = (matter: Matter, voters: readonly Voter[]): boolean => {
    const own = matter.kind.ownCredentialsOf(matter.intent);
    return own !== undefined && voters.length === 1 && voters[0]!.user.id === own;
  };

  return {
    async simulate(read, { organization, caller, type, parameters, userIds, now }) {
      const matter = matterFor(type, parameters);
      const { policies } = await snapshots(read, organization);
      const elements = await authorizer.elements(read, organization, matter);
      const everybody =
        userIds.length > 0 ? [...new Set(userIds)] : caller.organization.id === organization.id ? [caller.user.id] : [];
      const voters = await Promise.all(everybody.map((id) => voterOf(read, organization, id)));
      const { outcome, element, policyEvaluations } = decide({
        index: policies,
        elements,
        rootQuorum: organization.rootQuorum,
        voters,
        rejections: [],
        rootQuorumOnly: matter.kind.governedBy === 'root-quorum',
        defaultAllowance: ownAllowance(matter, voters),
        nowMs: now,
      });
      const rootVotes = everybody.filter((id) => organization.rootQuorum.userIds.includes(id)).length;
      const known = new Map((await read.policies.list(organization.id)).map((policy) => [policy.id, policy]));
      const compiled = new Map(policies.policies.map((entry) => [entry.id, entry.policy]));
      const verdicts: Verdict[] = [];
      for (const evaluation of policyEvaluations.slice(0, EXPLAINED)) {
        const stored = known.get(evaluation.policyId);
        const policy = compiled.get(evaluation.policyId);
        if (stored === undefined || policy === undefined || elements[element] === undefined) continue;
        const explained = explain(policy, elements[element], voters, now);
        verdicts.push({
          policyId: stored.id,
          policyName: stored.name,
          effect: stored.effect,
          outcome: evaluation.outcome,
          ...(evaluation.reason === undefined ? {} : { reason: evaluation.reason }),
          ...(explained.failed
            ? {
                failedClause: {
                  part: explained.failed.part,
                  text: explained.failed.text,
                  line: explained.failed.span.line,
                  column: explained.failed.span.column,
                  result: explained.failed.result,
                  ...(explained.failed.message === undefined ? {} : { message: explained.failed.message }),
                },
              }
            : {}),
          values: explained.values.map(({ part, path, value, message }) => ({
            part,
            path,
            ...(value === undefined ? {} : { value: shown(value) }),
            ...(message === undefined ? {} : { message }),
          })),
        });
      }
      const rootQuorumMet = rootVotes > 0 && rootVotes >= organization.rootQuorum.threshold;
      return { outcome, element, rootQuorumMet, policies: verdicts };
    },

    async replay(read, { organization, draft, activities }) {
      const { policies } = await snapshots(read, organization);
      const { policy } = draft;
      const others = policies.policies
        .filter((entry) => entry.id !== draft.replaces)
        .map(({ id, policy: kept }) => ({ id, policy: kept }));
      const changed = buildIndex([...others, { id: draft.replaces ?? 'draft', policy }]);
      const votes = await read.activities.votesOf(
        organization.id,
        activities.map((activity) => activity.id),
      );
      const found: Divergence[] = [];
      const deadline = performance.now() + REPLAY_MS;
      for (const [i, activity] of activities.entries()) {
        if (i > 0 && performance.now() > deadline) return { examined: i, found };
        // Others are served meanwhile.
        await setImmediate();
        const matter = decode(activity);
        if (matter.kind.votes !== undefined || matter.kind.governedBy === 'root-quorum') continue;
        const cast: Vote[] = votes.get(activity.id) ?? [];
        const approvals = cast.filter((vote) => vote.selection === 'VOTE_SELECTION_APPROVED');
        const voters = await authorizer.voters(read, { organization, matter, votes: approvals, now: activity.createdAt });
        const input = {
          elements: await authorizer.elements(read, organization, matter),
          rootQuorum: organization.rootQuorum,
          voters,
          rejections: [],
          rootQuorumOnly: false,
          defaultAllowance: ownAllowance(matter, voters),
          nowMs: approvals.at(-1)?.createdAt ?? activity.createdAt,
        };
        const before = decide({ ...input, index: policies }).outcome;
        const after = decide({ ...input, index: changed }).outcome;
        if (before === after) continue;
        const { id, type, status, createdAt } = activity;
        found.push({ activityId: id, type, status, createdAt, before, after });
      }
      return { examined: activities.length, found };
    },
  };
}
