import { z } from 'zod';
import { ApiError } from '../../base/errors.ts';
import { firstIdOf } from '../../base/id-time.ts';
import { wireTimestamp } from '../../base/time.ts';
import { checkControl } from '../../domain/velocity/check.ts';
import { replayControl } from '../../domain/velocity/replay.ts';
import { LONGEST_POSITION, replayFrom } from '../../domain/velocity/replayed-counters.ts';
import { termsOf } from '../../domain/velocity/terms.ts';
import { shown } from '../../domain/velocity/units.ts';
import type { PolicyCompiler } from '../../engine/policy-compiler.ts';
import { query } from '../../engine/query/declare.ts';
import { Id, Milliseconds, Timestamp } from '../../wire/common.ts';
import { NewVelocityControl } from '../../wire/velocity-controls.ts';

/** How many buckets an answer shows. */
const SHOWN = 100;

/** The draft is a member of this request, and the parameters of an activity elsewhere. */
function checkDraft(policies: PolicyCompiler, draft: NewVelocityControl): void {
  try {
    checkControl({ policies }, draft);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw error.renamed((text) => text.replaceAll('parameters.', 'velocityControl.'));
  }
}

export const replayVelocityControl = query({
  name: 'replay_velocity_control',
  summary:
    'The executed activities that a new limit over time would have refused, and its fullest counters. Archived activities are left out',
  params: z.strictObject({
    organizationId: Id,
    /** As `create_velocity_control` takes it. */
    velocityControl: NewVelocityControl,
    fromMs: Milliseconds.optional(),
    untilMs: Milliseconds.optional(),
    /** The `next` of the previous answer. */
    after: z.string().max(LONGEST_POSITION).optional(),
  }),
  result: z.object({
    examined: z.number(),
    /** Those that would have been refused. They are not counted. */
    activities: z.array(
      z.object({
        activityId: z.string(),
        type: z.string(),
        createdAt: Timestamp,
        bucket: z.string(),
        asked: z.string(),
        left: z.string(),
        /** What the activity takes cannot be read, and why. */
        unreadable: z.string().optional(),
      }),
    ),
    /** The fullest buckets, at most 100. */
    velocityBuckets: z.array(z.object({ bucket: z.string(), most: z.string() })),
    next: z.string().optional(),
  }),
  errors: ['REQUEST_INVALID', 'LIMIT_EXCEEDED'],
  async run({ decisions, read, organization, policies, now }, { velocityControl, fromMs = '0', untilMs, after }) {
    checkDraft(policies, velocityControl);
    const { countersign = null, ...draft } = velocityControl;
    const identity = {
      organizationId: organization.id,
      id: organization.id,
      createdAt: now,
      updatedAt: now,
      removesAt: null,
      fullSince: null,
    };
    const terms = termsOf({ ...draft, countersign, ...identity }, policies.kindOf, policies.compileTransferCondition);
    const { one } = terms.comparison;
    const from = Number(fromMs);
    const place = replayFrom({ after: firstIdOf(from), until: Number(untilMs ?? now) }, after);
    const { counters, until } = place;
    const question = { organization, terms, from, ...place };
    const { examined, refused, next } = await replayControl(decisions, read, question);
    return {
      examined,
      activities: refused.map(({ activity: { id: activityId, type, createdAt }, why, ...facts }) => ({
        ...{ activityId, type, createdAt: wireTimestamp(createdAt), ...facts },
        ...(why !== undefined && { unreadable: why }),
      })),
      velocityBuckets: counters.fullest.slice(0, SHOWN).map(([bucket, { most }]) => ({ bucket, most: shown(most, one) })),
      ...(next !== undefined && { next: counters.position({ after: next, until }) }),
    };
  },
});
