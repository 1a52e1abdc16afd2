import { z } from 'zod';
import { activity } from '../../engine/activity.ts';
import { IdOut } from '../../wire/common.ts';
import { addPolicies } from '../steps/policies.ts';
import { params } from './create-policy.history.ts';

export const createPolicy = activity({
  kind: 'CREATE_POLICY',
  resource: 'POLICY',
  action: 'CREATE',
  summary: 'Create a policy; its expressions are checked at once',
  params,
  result: { key: 'createPolicyResult', shape: z.object({ policyId: IdOut }) },
  errors: ['REQUEST_INVALID', 'LIMIT_EXCEEDED'],
  async execute(ctx, { selectors, ...policy }) {
    const texts = selectors === undefined ? {} : ctx.policies.translate(selectors);
    const [policyId] = await addPolicies(ctx, [{ ...policy, ...texts }], () => 'parameters');
    return { policyId: policyId! };
  },
});
