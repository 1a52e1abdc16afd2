import { z } from 'zod';
import { checkSteps, mfaPolicyOf, requireMethods, requireTextRoom } from '../../domain/credentials/mfa-policies.ts';
import { userNamed } from '../../domain/people/user-by-id.ts';
import { activity } from '../../engine/activity/declare.ts';
import { v1 } from '../../engine/activity/versions.ts';
import { reviewMfaCondition } from '../../engine/decision/new-texts.ts';
import { Id, IdOut, Label } from '../../wire/common.ts';
import { MfaCondition, Order, StepsParams } from '../../wire/mfa-policies.ts';
import { Notes } from '../../wire/policies.ts';

export const updateMfaPolicy = activity({
  kind: 'UPDATE_MFA_POLICY',
  resource: 'MFA_POLICY',
  action: 'UPDATE',
  summary: 'Change an MFA policy of a user; omitted members stay as they are',
  params: v1(
    z.object({
      userId: Id,
      mfaPolicyId: Id,
      mfaPolicyName: Label.optional(),
      condition: MfaCondition.optional(),
      requiredAuthenticationMethods: StepsParams.optional(),
      order: Order.optional(),
      notes: Notes.optional(),
    }),
  ),
  result: { key: 'updateMfaPolicyResult', shape: z.object({ mfaPolicyId: IdOut }) },
  errors: [checkSteps, reviewMfaCondition, userNamed, mfaPolicyOf, requireMethods, requireTextRoom],
  check({ ctx: { policies }, intent: { condition, requiredAuthenticationMethods: steps = [] } }) {
    if (condition !== undefined) policies.checkMfaCondition(condition, 'parameters.condition');
    checkSteps(steps);
  },
  async review({ ctx, intent: { userId, mfaPolicyId, condition } }) {
    const stored = condition && (await ctx.read.mfaPolicies.get(ctx.organization.id, userId, mfaPolicyId));
    if (stored && condition !== stored.condition)
      await reviewMfaCondition(ctx, condition, 'parameters.condition', userId, mfaPolicyId);
  },
  async execute({ ctx: { organization, store, limits, now }, intent: change }) {
    const { userId, mfaPolicyId, requiredAuthenticationMethods: steps } = change;
    const user = await userNamed(store, organization, userId);
    const policy = await mfaPolicyOf(store, organization.id, change, 'parameters.mfaPolicyId');
    if (steps !== undefined) await requireMethods(store, organization, user, steps);
    const changed = {
      ...policy,
      name: change.mfaPolicyName ?? policy.name,
      condition: change.condition ?? policy.condition,
      steps: steps ?? policy.steps,
      order: change.order ?? policy.order,
      notes: change.notes ?? policy.notes,
      updatedAt: now,
    };
    await requireTextRoom(store, limits, changed);
    await store.mfaPolicies.update(changed);
    return { mfaPolicyId };
  },
});
