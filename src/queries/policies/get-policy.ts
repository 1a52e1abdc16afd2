import { z } from 'zod';
import { ApiError } from '../../base/errors.ts';
import { query } from '../../engine/query/declare.ts';
import { Id } from '../../wire/common.ts';
import { Policy, viewPolicy } from '../../wire/policies.ts';

export const getPolicy = query({
  name: 'get_policy',
  summary: 'One policy',
  params: z.object({ organizationId: Id, policyId: Id }),
  result: z.object({ policy: Policy }),
  errors: ['NOT_FOUND'],
  async run({ organization, read }, { policyId }) {
    const policy = await read.policies.get(organization.id, policyId);
    if (policy === undefined) throw new ApiError('NOT_FOUND', `policy not found: policyId names ${policyId}`);
    return { policy: viewPolicy(policy) };
  },
});
