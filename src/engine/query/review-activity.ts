import { setImmediate } from 'node:timers/promises';
import { ApiError } from '../../base/errors.ts';
import { wireTimestamp } from '../../base/time.ts';
import { type Activity, approvalsLapse, takesVotes, type Vote } from '../../model/activity.ts';
import type { Organization } from '../../model/organization.ts';
import { shownRoots } from '../../policy/index.ts';
import type { Reader } from '../../store/types.ts';
import type { Review } from '../../wire/reviews.ts';
import { type ResolvedActivity, resolveActivity } from '../activity/decode.ts';
import { warningsOfReview } from '../activity/review.ts';
import { measuring } from '../activity/velocity.ts';
import { elementsOf, meetsRootQuorum, votersOf } from '../decision/authorize.ts';
import { explainPolicies } from '../decision/explain-policies.ts';
import { explainedDemand } from '../decision/mfa-status.ts';
import { refusalTold } from '../decision/refusal-told.ts';
import { denialOf } from '../decision/velocity-denial.ts';
import { countingVotes, demandsOn, judgeWaiting } from '../decision/waiting.ts';
import { rightsOf } from '../submit/render.ts';
import { completersOf, completing, type Waiting } from './completers.ts';
import type { QueryContext } from './declare.ts';

const MOST_ELEMENTS = 100;
/** Characters of all shown values. */
const MOST_CHARACTERS = 1024 * 1024;

type Seen = Pick<Review, 'elements' | 'moreElements'>;
type Judged = Pick<Review, 'verdict' | 'completers' | 'more' | 'pendingFor'>;

const NOTHING: Judged = {
  completers: [],
  more: false,
  pendingFor: { canApprove: false, canReject: false, completes: false },
};

/** The request as policies see it. */
async function seenOf(activity: ResolvedActivity, decidingId: string | undefined): Promise<Seen> {
  const all = await elementsOf(activity, decidingId);
  const elements: Seen['elements'] = [];
  let left = MOST_CHARACTERS;
  for (const element of all.slice(0, MOST_ELEMENTS)) {
    await setImmediate();
    const roots = shownRoots(element, left);
    for (const { value } of roots) left -= value?.length ?? 0;
    elements.push({ roots });
  }
  return { elements, moreElements: all.length > elements.length };
}

async function votesOf(read: Reader, deciding: Organization | undefined, votes: readonly Vote[], counting: readonly Vote[]) {
  const shown: Review['votes'] = [];
  for (const vote of votes) {
    const { id: voteId, userId, selection, createdAt } = vote;
    // A sub-organization must not read who belongs to its parent.
    const userName = (deciding && (await read.users.get(deciding.id, userId))?.name) ?? '';
    shown.push({ voteId, userId, userName, selection, createdAt: wireTimestamp(createdAt), counts: counting.includes(vote) });
  }
  return shown;
}

/** The decision now, and the users who may change it. */
async function judged(ctx: QueryContext, waiting: Omit<Waiting, 'open'>, activity: Activity, votes: readonly Vote[]) {
  const { decisions, read, organization, caller, nodes, policies: compiler, now } = ctx;
  const { deciding, activity: resolved, counting } = waiting;
  const proofs = await read.proofs.ofActivity(organization.id, activity.id);
  const asked = { organization: deciding, activity: resolved, now };
  const { decision, status } = await judgeWaiting(decisions, read, asked, { votes, proofs });
  const demands = await demandsOn(decisions, read, asked, { votes, proofs });
  const question = { ...asked, votes: counting, submitterId: activity.userId };
  const running = { organization, activity: resolved, userId: activity.userId, now };
  const refused = await refusalTold(decisions, read, decision.outcome, running, () =>
    denialOf(question, decision, (one) => decisions.authorize(read, { ...question, activity: one })),
  );
  const { element, builtIn, policyEvaluations: evaluations } = decision;
  const voters = await votersOf(read, { ...asked, votes: counting });
  const index = await decisions.policies(read, deciding);
  const elements = await elementsOf(resolved, deciding.id);
  const policies = await explainPolicies(decisions, read, {
    ...{ organizationId: deciding.id, index, evaluations },
    ...{ element: elements[element], voters, now },
  });
  const reviewing = { organization, read, policies: compiler, environment: decisions.environment, nodes };
  const warnings = await warningsOfReview(reviewing, resolved);
  const approving = counting.flatMap((v) => (v.selection === 'VOTE_SELECTION_APPROVED' ? [v.userId] : []));
  const reason = refused?.message ?? builtIn;
  const waitsForMfa = status === 'ACTIVITY_STATUS_AUTHENTICATORS_NEEDED';
  const isStopped = refused !== undefined && decision.outcome === 'OUTCOME_ALLOW';
  const outcome = isStopped ? 'OUTCOME_DENY_EXPLICIT' : waitsForMfa ? 'OUTCOME_REQUIRES_AUTHENTICATORS' : decision.outcome;
  const open = new Set(demands.flatMap(({ missing, userId }) => (missing.length > 0 ? [userId] : [])));
  const all = { ...waiting, open };
  const shown = { activity, votes, decoded: resolved, organization };
  const rights = await rightsOf({ decisions, store: { read } }, shown, { ...caller, now }, deciding.id);
  const isVoter = caller.organization.id === deciding.id;
  return {
    verdict: {
      ...{ outcome, element, rootQuorumMet: meetsRootQuorum(deciding, [...new Set(approving)]) },
      ...(reason === undefined ? {} : { reason }),
      ...{ policies, mfaStatuses: demands.map(explainedDemand) },
      ...(warnings.length === 0 ? {} : { warnings }),
    },
    ...(await completersOf(decisions, read, all)),
    pendingFor: {
      ...rights,
      completes: isVoter && rights.canApprove && (await completing(decisions, read, all)(caller.user)),
    },
  };
}

/** An activity for a person who decides about it. Nothing is written. */
export async function reviewActivity(ctx: QueryContext, activityId: string): Promise<Review> {
  const { organization, caller, read, decisions, now } = ctx;
  const activity = await read.activities.get(organization.id, activityId);
  if (activity === undefined) throw new ApiError('NOT_FOUND', `activity not found: activityId names ${activityId}`);
  const votes = await read.activities.votes(organization.id, activityId);
  const decoded = decisions.decode(activity);
  const decidingId = await decisions.deciding(read, decoded.kind, organization, activity);
  // A sub-organization must not read the contents of its parent's policies.
  const deciding = [organization, caller.organization].find(({ id }) => id === decidingId);
  const { userId } = activity;
  const plain = resolveActivity(read, organization, decoded);
  const resolved = measuring(decisions.velocity, read, { organization, activity: plain, userId, now });
  const isWaiting = takesVotes(activity.status);
  const counting = isWaiting && deciding ? await countingVotes(read, deciding.id, votes, now) : [];
  const lapseAt = isWaiting ? approvalsLapse(votes, now) : undefined;
  const seen = await seenOf(isWaiting ? resolved : plain, deciding?.id);
  const waiting = deciding && { deciding, activity: resolved, submitterId: votes[0]!.userId, counting, now };
  const about = isWaiting && waiting ? await judged(ctx, waiting, activity, votes) : NOTHING;
  return {
    ...{ activityId, kind: decoded.kind.kind, ...seen, ...about },
    votes: await votesOf(read, deciding, votes, counting),
    ...(lapseAt === undefined ? {} : { approvalsLapseAt: wireTimestamp(lapseAt) }),
  };
}
