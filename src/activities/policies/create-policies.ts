import { z } from 'zod';
import { addPolicies, checkPolicy, reviewNew } from '../../domain/policies/policies.ts';
import { activity } from '../../engine/activity/declare.ts';
import { v1 } from '../../engine/activity/versions.ts';
import { IdOut } from '../../wire/common.ts';
import { NewPolicy } from '../../wire/policies.ts';

const fieldOf = (i: number) => `parameters.policies[${i}]`;

export const createPolicies = activity({
  kind: 'CREATE_POLICIES',
  resource: 'POLICY',
  action: 'CREATE',
  summary: 'Create several policies: all or none',
  params: v1(z.object({ policies: z.array(NewPolicy).min(1, 'must hold at least one policy').max(1000) })),
  result: { key: 'createPoliciesResult', shape: z.object({ policyIds: z.array(IdOut) }) },
  errors: [checkPolicy, reviewNew, addPolicies],
  check({ ctx, intent: { policies } }) {
    for (const [i, policy] of policies.entries()) checkPolicy(ctx, policy, fieldOf(i));
  },
  review: ({ ctx, intent: { policies } }) => reviewNew(ctx, policies, fieldOf),
  execute: async ({ ctx, intent: { policies } }) => ({ policyIds: await addPolicies(ctx, policies, fieldOf) }),
});
