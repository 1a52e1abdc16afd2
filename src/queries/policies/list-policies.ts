import { z } from 'zod';
import { query } from '../../engine/query/declare.ts';
import { Id } from '../../wire/common.ts';
import { Policy, viewPolicy } from '../../wire/policies.ts';

export const listPolicies = query({
  name: 'list_policies',
  summary: 'All policies of the organization',
  params: z.object({ organizationId: Id }),
  result: z.object({ policies: z.array(Policy) }),
  errors: [],
  async run({ organization, read }) {
    return { policies: (await read.policies.list(organization.id)).map(viewPolicy) };
  },
});
