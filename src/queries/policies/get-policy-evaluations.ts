import { z } from 'zod';
import { ApiError } from '../../base/errors.ts';
import { wireTimestamp } from '../../base/time.ts';
import { query } from '../../engine/query.ts';
import { Id, IdOut, Timestamp } from '../../wire/common.ts';

/** How many policies that could not match are listed beside those that were evaluated. */
const RULED_OUT_LISTED = 100;

export const getPolicyEvaluations = query({
  name: 'get_policy_evaluations',
  summary: 'What policies came to at each vote on an activity; empty where the root quorum decided alone',
  params: z.object({ organizationId: Id, activityId: Id }),
  result: z.object({
    policyEvaluations: z.array(
      z.object({
        id: IdOut,
        activityId: IdOut,
        organizationId: IdOut,
        voteId: IdOut,
        policyEvaluations: z.array(z.object({ policyId: IdOut, outcome: z.string(), reason: z.string().optional() })),
        createdAt: Timestamp,
      }),
    ),
  }),
  async run({ organization, read }, { activityId }) {
    const activity = await read.activities.get(organization.id, activityId);
    if (activity === undefined) throw new ApiError('NOT_FOUND', `activity not found: activityId names ${activityId}`);
    const [votes, stored] = await Promise.all([
      read.activities.votes(organization.id, activityId),
      read.evaluations.ofActivity(organization.id, activityId),
    ]);
    const byVote = new Map(stored.map((evaluation) => [evaluation.voteId, evaluation]));
    const policies = stored.length === 0 ? [] : await read.policies.list(organization.id);
    return {
      policyEvaluations: votes.map((vote) => {
        const found = byVote.get(vote.id);
        const evaluated = found?.evaluations ?? [];
        const known = new Set(evaluated.map((e) => e.policyId));
        const ruledOut =
          found === undefined
            ? []
            : policies.filter((p) => !known.has(p.id) && p.createdAt <= found.createdAt).slice(0, RULED_OUT_LISTED);
        return {
          id: found?.id ?? vote.id,
          activityId,
          organizationId: organization.id,
          voteId: vote.id,
          policyEvaluations: [...evaluated, ...ruledOut.map((p) => ({ policyId: p.id, outcome: 'OUTCOME_DENY_IMPLICIT' }))],
          createdAt: wireTimestamp(vote.createdAt),
        };
      }),
    };
  },
});
