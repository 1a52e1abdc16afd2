import { setImmediate } from 'node:timers/promises';
import type { Activity, Vote } from '../../model/activity.ts';
import type { Organization } from '../../model/organization.ts';
import type { Proof } from '../../model/proof.ts';
import { amendIndex, type CompiledPolicy } from '../../policy/index.ts';
import type { Reader } from '../../store/types.ts';
import { resolveActivity } from '../activity/decode.ts';
import { measuring, TooManyEntries, type VelocityThen } from '../activity/velocity.ts';
import { evaluate } from './authorize.ts';
import type { Decisions } from './decisions.ts';
import { AT_MOST_MS } from './explained-policy.ts';
import { type KnownVoters, votersThen } from './past-voters.ts';
import type { PolicyCache } from './policy-cache.ts';

export type Divergence = {
  activityId: string;
  type: string;
  status: string;
  createdAt: number;
  before: string;
  after: string;
};

/** `leftOut`: activities that no replay decides, because limits over time had too many entries then. */
export type Replay = { examined: number; leftOut: number; found: Divergence[]; next?: string | undefined };

export type ReplayQuestion = {
  organization: Organization;
  /** `replaces`: the id of the policy that the draft replaces. */
  draft: { policy: CompiledPolicy; replaces?: string | undefined };
  /** Returns the activities after an id. If there are more, also the id to continue after. */
  page(after: string | undefined): Promise<{ activities: readonly Activity[]; next?: string | undefined }>;
};

/** How many activities one request replays. */
const REPLAYED = 500;

/**
 * Finds past activities that a changed set of policies would have decided differently. Ends early after a time or a number of
 * activities; then `next` is the id to continue after.
 */
export function replay(decisions: Decisions, read: Reader, question: ReplayQuestion): Promise<Replay> {
  return decisions.replayTurn(question.organization, async () => {
    const { organization, page } = question;
    const redrafted = await withDraft(decisions.policies, read, question);
    const found: Divergence[] = [];
    const known: KnownVoters = new Map();
    const deadline = decisions.elapsed.now() + AT_MOST_MS;
    const velocity = decisions.velocityThen();
    let [examined, leftOut] = [0, 0];
    let last: string | undefined;
    for (;;) {
      const { activities, next } = await page(last);
      const ids = activities.map((activity) => activity.id);
      const votes = await read.activities.votesOf(organization.id, ids);
      const proofs = await read.proofs.ofActivities(organization.id, ids);
      for (const activity of activities) {
        if (examined > 0 && decisions.elapsed.now() > deadline) return { examined, leftOut, found, next: last };
        // Yield to other requests.
        await setImmediate();
        const stamps = { cast: votes.get(activity.id) ?? [], proofs: proofs.get(activity.id) ?? [] };
        const { id, type, status, createdAt } = activity;
        try {
          const [before, after] = await outcomes(decisions, redrafted, read, velocity, organization, activity, stamps, known);
          if (before !== after) found.push({ activityId: id, type, status, createdAt, before, after });
        } catch (error) {
          if (!(error instanceof TooManyEntries)) throw error;
          // Another request reads them anew.
          if (examined > 0) return { examined, leftOut, found, next: last };
          leftOut++;
        }
        examined++;
        last = id;
      }
      if (next === undefined) return { examined, leftOut, found };
      last = next;
      if (examined >= REPLAYED || decisions.elapsed.now() > deadline) return { examined, leftOut, found, next };
    }
  });
}

async function withDraft(policies: PolicyCache, read: Reader, { organization, draft }: ReplayQuestion): Promise<PolicyCache> {
  const changes = new Map([[draft.replaces ?? 'draft', draft.policy]]);
  const changed = amendIndex(await policies(read, organization), changes);
  return async () => changed;
}

/** The outcome of an activity by the current policies, and by the changed ones. None, if these policies do not decide it. */
async function outcomes(
  { policies, deciding, decode }: Decisions,
  redrafted: PolicyCache,
  read: Reader,
  velocity: ReturnType<VelocityThen>,
  organization: Organization,
  stored: Activity,
  { cast, proofs }: { cast: readonly Vote[]; proofs: readonly Proof[] },
  known: KnownVoters,
): Promise<[before: string, after: string]> {
  const plain = resolveActivity(read, organization, decode(stored));
  if (plain.kind.votes !== undefined || plain.kind.governedBy === 'root-quorum') return ['', ''];
  if ((await deciding(read, plain.kind, organization, stored)) !== organization.id) return ['', ''];
  const approvals = cast.filter((vote) => vote.selection === 'VOTE_SELECTION_APPROVED');
  const voters = await votersThen(read, organization.id, { approvals, proofs }, known);
  const now = approvals.at(-1)?.createdAt ?? stored.createdAt;
  const tags = (voters.find(({ user }) => user.id === stored.userId)?.user.tags as string[] | undefined) ?? [];
  const then = { activityId: stored.id, tags };
  const asked = { organization, activity: plain, userId: stored.userId, now };
  const activity = measuring((reader, what) => velocity(reader, { ...what, ...then }), read, asked);
  const input = {
    organization,
    activity,
    approving: [...new Set(voters.map(({ user }) => user.id))],
    voters: async () => voters,
    submitterId: cast[0]?.userId,
    now,
  };
  return [(await evaluate(policies, read, input)).outcome, (await evaluate(redrafted, read, input)).outcome];
}
