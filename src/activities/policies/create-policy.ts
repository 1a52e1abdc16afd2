import { z } from 'zod';
import { addPolicies, checkPolicy, reviewNew } from '../../domain/policies/policies.ts';
import { activity } from '../../engine/activity/declare.ts';
import type { CheckContext } from '../../engine/context.ts';
import { IdOut } from '../../wire/common.ts';
import { type Intent, params } from './create-policy.history.ts';

/** Translates selectors into the newest shape. */
function written({ policies }: CheckContext, { selectors, ...policy }: Intent) {
  return selectors === undefined ? policy : { ...policy, ...policies.translate(selectors) };
}

export const createPolicy = activity({
  kind: 'CREATE_POLICY',
  resource: 'POLICY',
  action: 'CREATE',
  summary: 'Create a policy; its expressions are checked immediately',
  params,
  result: { key: 'createPolicyResult', shape: z.object({ policyId: IdOut }) },
  errors: [checkPolicy, reviewNew, addPolicies],
  check: ({ ctx, intent }) => checkPolicy(ctx, written(ctx, intent), 'parameters'),
  review: ({ ctx, intent }) => reviewNew(ctx, [written(ctx, intent)], () => 'parameters'),
  async execute({ ctx, intent }) {
    const [policyId] = await addPolicies(ctx, [written(ctx, intent)], () => 'parameters');
    return { policyId: policyId! };
  },
});
