import { z } from 'zod';
import { v1 } from '../../engine/activity/versions.ts';
import { Id, Label } from '../../wire/common.ts';
import { Effect, Expression, Notes } from '../../wire/policies.ts';

const P1 = z.strictObject({
  policyId: Id,
  policyName: Label.optional(),
  policyEffect: Effect.optional(),
  policyCondition: Expression.optional(),
  policyConsensus: Expression.optional(),
  policyNotes: Notes.optional(),
});

export const params = v1(P1).to(2, P1.extend({ time: Expression.optional() }), (p) => p);
