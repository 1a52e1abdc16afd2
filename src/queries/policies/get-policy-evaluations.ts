import { z } from 'zod';
import { ApiError } from '../../base/errors.ts';
import { wireTimestamp } from '../../base/time.ts';
import { warningsOfReview } from '../../engine/activity/review.ts';
import { explainVotes } from '../../engine/decision/explain-votes.ts';
import { explainedDemand, mfaOn } from '../../engine/decision/mfa-status.ts';
import { query } from '../../engine/query/declare.ts';
import type { Policy } from '../../model/policy.ts';
import type { Reader, StoredEvaluation } from '../../store/types.ts';
import { Id, IdOut, Timestamp } from '../../wire/common.ts';
import { BodyWarning, FailedClause, SeenValue } from '../../wire/explanations.ts';
import { ExplainedMfa, GivenProof, viewProof } from '../../wire/mfa-policies.ts';

/** How many policies that could not match are listed besides the evaluated ones. */
const RULED_OUT_LISTED = 100;

const Evaluation = z.object({
  policyId: IdOut,
  outcome: z.string(),
  reason: z.string().optional(),
  policyName: z.string().optional(),
  effect: z.string().optional(),
  failedClause: FailedClause.optional(),
  values: z.array(SeenValue).optional(),
  /** Why the outcome is not explained. */
  note: z.string().optional(),
});

/** The first policies, as many as are needed to list those that no evaluation names. */
function firstPolicies(read: Reader, organizationId: string, stored: readonly StoredEvaluation[]): Promise<Policy[]> | [] {
  const named = stored.flatMap(({ more, evaluations }) => (more === undefined ? [evaluations.length] : []));
  if (named.length === 0) return [];
  return read.policies.page(organizationId, { limit: Math.max(...named) + RULED_OUT_LISTED });
}

export const getPolicyEvaluations = query({
  name: 'get_policy_evaluations',
  summary: 'The outcome of each policy at each vote on an activity, with reasons; empty if the root quorum decided alone',
  params: z.object({ organizationId: Id, activityId: Id }),
  result: z.object({
    policyEvaluations: z.array(
      z.object({
        id: IdOut,
        activityId: IdOut,
        organizationId: IdOut,
        voteId: IdOut,
        policyEvaluations: z.array(Evaluation),
        createdAt: Timestamp,
      }),
    ),
    /** The open MFA demands on the voters, while the activity waits. */
    mfaStatuses: z.array(ExplainedMfa),
    /** The voters' stamps for their MFA, besides their votes. */
    proofs: z.array(GivenProof),
    /** The current warnings about the body. Absent if there are none. */
    warnings: z.array(BodyWarning).optional(),
  }),
  errors: ['NOT_FOUND'],
  async run({ organization, caller, read, decisions, nodes, policies: compiler, now }, { activityId }) {
    const activity = await read.activities.get(organization.id, activityId);
    if (activity === undefined) throw new ApiError('NOT_FOUND', `activity not found: activityId names ${activityId}`);
    const [votes, proofs, stored] = await Promise.all([
      read.activities.votes(organization.id, activityId),
      read.proofs.ofActivity(organization.id, activityId),
      read.evaluations.ofActivity(organization.id, activityId),
    ]);
    const decoded = decisions.decode(activity);
    const decidingId = await decisions.deciding(read, decoded.kind, organization, activity);
    const deciding = [organization, caller.organization].find(({ id }) => id === decidingId);
    // A sub-organization must not read the contents of its parent's policies.
    if (deciding === undefined) return { policyEvaluations: [], mfaStatuses: [], proofs: [] };
    const first = await firstPolicies(read, deciding.id, stored);
    const byVote = new Map(stored.map((evaluation) => [evaluation.voteId, evaluation]));
    const recorded = new Map(
      stored.map(({ voteId, evaluations, more, createdAt }) => {
        // A policy that is not named may have had any outcome.
        if (more !== undefined) return [voteId, [...evaluations]];
        const known = new Set(evaluations.map((e) => e.policyId));
        const ruledOut = first.filter((p) => !known.has(p.id) && p.createdAt <= createdAt).slice(0, RULED_OUT_LISTED);
        return [voteId, [...evaluations, ...ruledOut.map((p) => ({ policyId: p.id, outcome: 'OUTCOME_DENY_IMPLICIT' }))]];
      }),
    );
    const named = new Set([...recorded.values()].flatMap((evaluations) => evaluations.map(({ policyId }) => policyId)));
    const found = await read.policies.byIds(deciding.id, [...named]);
    const policies = new Map(found.map((policy) => [policy.id, policy]));
    const explained = await explainVotes(decisions, read, {
      organization,
      deciding,
      activity,
      votes,
      proofs,
      recorded,
      policies,
    });
    const { environment } = decisions;
    const failed = activity.status === 'ACTIVITY_STATUS_FAILED';
    const warnings = failed
      ? []
      : await warningsOfReview({ organization, read, policies: compiler, environment, nodes }, decoded);
    const demands = await mfaOn(decisions, read, { organization, deciding, activity, now });
    return {
      ...(warnings.length === 0 ? {} : { warnings }),
      mfaStatuses: demands.map(explainedDemand),
      proofs: proofs.map(viewProof),
      policyEvaluations: votes.map((vote) => ({
        id: byVote.get(vote.id)?.id ?? vote.id,
        activityId,
        organizationId: organization.id,
        voteId: vote.id,
        policyEvaluations: explained.get(vote.id) ?? [],
        createdAt: wireTimestamp(vote.createdAt),
      })),
    };
  },
});
