import { z } from 'zod';
import { ApiError } from '../../base/errors.ts';
import { changePolicy, checkChange, reviewChange } from '../../domain/policies/policies.ts';
import { activity } from '../../engine/activity/declare.ts';
import { IdOut } from '../../wire/common.ts';
import { params } from './update-policy.history.ts';

const shape = z.object({ policyId: IdOut });

export const updatePolicy = activity({
  kind: 'UPDATE_POLICY',
  resource: 'POLICY',
  action: 'UPDATE',
  summary: 'Change a policy; omitted members stay as they are',
  params,
  result: { key: 'updatePolicyResultV2', shape },
  oldResults: [{ until: 1, key: 'updatePolicyResult', shape, write: (result) => result }],
  errors: [checkChange, reviewChange, 'NOT_FOUND', changePolicy],
  check: ({ ctx, intent: { policyCondition, policyConsensus, time } }) =>
    checkChange(ctx, { condition: policyCondition, consensus: policyConsensus, time }),
  review: ({ ctx, intent: { policyId, policyCondition, policyConsensus, time } }) =>
    reviewChange(ctx, policyId, { condition: policyCondition, consensus: policyConsensus, time }),
  async execute({ ctx, intent: change }) {
    const { policyId } = change;
    const policy = await ctx.store.policies.get(ctx.organization.id, policyId);
    if (policy === undefined) throw new ApiError('NOT_FOUND', `policy not found: parameters.policyId names ${policyId}`);
    await changePolicy(ctx, {
      ...policy,
      name: change.policyName ?? policy.name,
      effect: change.policyEffect ?? policy.effect,
      condition: change.policyCondition ?? policy.condition,
      consensus: change.policyConsensus ?? policy.consensus,
      time: change.time ?? policy.time,
      notes: change.policyNotes ?? policy.notes,
    });
    return { policyId };
  },
});
