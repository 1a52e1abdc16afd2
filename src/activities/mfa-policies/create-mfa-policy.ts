import { z } from 'zod';
import { ApiError } from '../../base/errors.ts';
import { checkSteps, requireMethods, requireTextRoom } from '../../domain/credentials/mfa-policies.ts';
import { requireNotProxy } from '../../domain/people/auth-proxy.ts';
import { userNamed } from '../../domain/people/user-by-id.ts';
import { activity } from '../../engine/activity/declare.ts';
import { v1 } from '../../engine/activity/versions.ts';
import { reviewMfaCondition } from '../../engine/decision/new-texts.ts';
import { Id, IdOut, Label } from '../../wire/common.ts';
import { MfaCondition, Order, StepsParams } from '../../wire/mfa-policies.ts';
import { Notes } from '../../wire/policies.ts';

export const createMfaPolicy = activity({
  kind: 'CREATE_MFA_POLICY',
  resource: 'MFA_POLICY',
  action: 'CREATE',
  summary: 'Create an MFA policy of a user: the further stamps that an activity needs if it meets a condition',
  params: v1(
    z.object({
      userId: Id,
      mfaPolicyName: Label,
      condition: MfaCondition,
      requiredAuthenticationMethods: StepsParams,
      order: Order,
      notes: Notes.optional(),
    }),
  ),
  result: { key: 'createMfaPolicyResult', shape: z.object({ mfaPolicyId: IdOut }) },
  errors: [checkSteps, reviewMfaCondition, requireNotProxy, userNamed, requireMethods, requireTextRoom],
  check({ ctx: { policies }, intent: { condition, requiredAuthenticationMethods: steps } }) {
    policies.checkMfaCondition(condition, 'parameters.condition');
    checkSteps(steps);
  },
  async review({ ctx, intent: { userId, condition } }) {
    await reviewMfaCondition(ctx, condition, 'parameters.condition', userId);
  },
  async execute({ ctx: { organization, store, ids, limits, now }, intent }) {
    const { userId, mfaPolicyName: name, condition, requiredAuthenticationMethods: steps, order, notes = null } = intent;
    // The proxy's user stamps automatically, and could never meet an MFA policy.
    requireNotProxy(organization, userId, 'parameters.userId');
    const user = await userNamed(store, organization, userId);
    if (user.mfaPolicyCount >= limits.mfaPolicies)
      throw new ApiError(
        'LIMIT_EXCEEDED',
        `user has exceeded maximum MFA policies: at most ${limits.mfaPolicies} (LIMIT_MFA_POLICIES)`,
      );
    await requireMethods(store, organization, user, steps);
    const id = ids.next();
    const times = { createdAt: now, updatedAt: now };
    const policy = { organizationId: organization.id, userId, id, name, condition, steps, order, notes, ...times };
    await requireTextRoom(store, limits, policy);
    await store.mfaPolicies.insert(policy);
    return { mfaPolicyId: id };
  },
});
