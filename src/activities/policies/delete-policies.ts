import { z } from 'zod';
import { removePolicies } from '../../domain/policies/policies.ts';
import { activity } from '../../engine/activity/declare.ts';
import { v1 } from '../../engine/activity/versions.ts';
import { IdOut } from '../../wire/common.ts';
import { PolicyIds } from '../../wire/policies.ts';

export const deletePolicies = activity({
  kind: 'DELETE_POLICIES',
  resource: 'POLICY',
  action: 'DELETE',
  summary: 'Delete several policies: all or none',
  params: v1(z.object({ policyIds: PolicyIds })),
  result: { key: 'deletePoliciesResult', shape: z.object({ policyIds: z.array(IdOut) }) },
  errors: [removePolicies],
  async execute({ ctx, intent: { policyIds } }) {
    await removePolicies(ctx, policyIds, 'parameters.policyIds');
    return { policyIds };
  },
});
