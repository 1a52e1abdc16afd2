import { z } from 'zod';
import { removePolicies } from '../../domain/policies/policies.ts';
import { activity } from '../../engine/activity/declare.ts';
import { v1 } from '../../engine/activity/versions.ts';
import { Id, IdOut } from '../../wire/common.ts';

export const deletePolicy = activity({
  kind: 'DELETE_POLICY',
  resource: 'POLICY',
  action: 'DELETE',
  summary: 'Delete a policy',
  params: v1(z.object({ policyId: Id })),
  result: { key: 'deletePolicyResult', shape: z.object({ policyId: IdOut }) },
  errors: [removePolicies],
  async execute({ ctx, intent: { policyId } }) {
    await removePolicies(ctx, [policyId], 'parameters.policyId');
    return { policyId };
  },
});
