import { z } from 'zod';
import { ApiError, invalid } from '../../base/errors.ts';
import { firstIdOf } from '../../base/id-time.ts';
import { wireTimestamp } from '../../base/time.ts';
import { requireControls } from '../../domain/velocity/names.ts';
import { warningsOf } from '../../engine/decision/explained-policy.ts';
import { replay } from '../../engine/decision/replay.ts';
import { query } from '../../engine/query/declare.ts';
import { Id, Milliseconds, Timestamp } from '../../wire/common.ts';
import { Warning } from '../../wire/explanations.ts';
import { Effect, Expression } from '../../wire/policies.ts';

/** An activity's id is created a little after its `createdAt`. */
const IDS_LATER_MS = 60_000;

/** How many activities one read returns: each may have a body of 1 MiB. */
const AT_ONCE = 20;

export const replayPolicy = query({
  name: 'replay_policy',
  summary:
    'The past activities, except archived ones, that a new or changed policy would have decided differently; nothing is written',
  params: z.strictObject({
    organizationId: Id,
    /** The stored policy that the draft replaces. Omitted parts keep its text. */
    policyId: Id.optional(),
    effect: Effect.optional(),
    condition: Expression.optional(),
    consensus: Expression.optional(),
    time: Expression.optional(),
    fromMs: Milliseconds.optional(),
    untilMs: Milliseconds.optional(),
    /** The `next` of the previous answer. */
    after: Id.optional(),
  }),
  result: z.object({
    examined: z.number(),
    activities: z.array(
      z.object({
        activityId: z.string(),
        type: z.string(),
        status: z.string(),
        createdAt: Timestamp,
        before: z.string(),
        after: z.string(),
      }),
    ),
    /** The parts of the draft that are never true, or always true. */
    warnings: z.array(Warning),
    /** Activities that were not decided: their limits over time had counted too many others. Absent: none. */
    leftOut: z.number().optional(),
    next: z.string().optional(),
  }),
  errors: ['NOT_FOUND', 'REQUEST_INVALID'],
  async run({ decisions, read, organization, policies }, params) {
    const { policyId, fromMs = '0', untilMs, after } = params;
    const stored = policyId === undefined ? undefined : await read.policies.get(organization.id, policyId);
    if (policyId !== undefined && stored === undefined)
      throw new ApiError('NOT_FOUND', `policy not found: policyId names ${policyId}`);
    const effect = params.effect ?? stored?.effect;
    if (effect === undefined) throw invalid('effect', 'is required unless policyId names a policy');
    const draft = {
      effect,
      condition: params.condition ?? stored?.condition ?? '',
      consensus: params.consensus ?? stored?.consensus ?? '',
      time: params.time ?? stored?.time ?? '',
    };
    const policy = policies.check(draft, { condition: 'condition', consensus: 'consensus', time: 'time' });
    await requireControls({ store: read, organization, policies }, draft.condition, 'condition');
    const newest = after ?? (untilMs === undefined ? undefined : firstIdOf(Number(untilMs) + IDS_LATER_MS));
    // An id is never older than its activity, even after the clock was set back.
    const oldest = firstIdOf(Number(fromMs));
    const page = async (behind: string | undefined) => {
      const some = await read.activities.list(organization.id, {}, { limit: AT_ONCE, after: behind ?? newest });
      const end = some.findIndex(({ id }) => id < oldest);
      const activities = (end < 0 ? some : some.slice(0, end)).filter(
        ({ createdAt }) => createdAt >= Number(fromMs) && (untilMs === undefined || createdAt <= Number(untilMs)),
      );
      return { activities, next: end < 0 && some.length === AT_ONCE ? some.at(-1)!.id : undefined };
    };
    const { examined, leftOut, found, next } = await replay(decisions, read, {
      organization,
      draft: { policy, replaces: policyId },
      page,
    });
    return {
      examined,
      activities: found.map((row) => ({ ...row, createdAt: wireTimestamp(row.createdAt) })),
      warnings: warningsOf(policy, decisions.environment),
      ...(leftOut > 0 && { leftOut }),
      ...(next !== undefined && { next }),
    };
  },
});
