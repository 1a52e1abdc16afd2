import { z } from 'zod';
import { query } from '../../engine/query/declare.ts';
import { listing } from '../../engine/query/listing.ts';
import { Id, Pagination } from '../../wire/common.ts';
import { Policy, viewPolicy } from '../../wire/policies.ts';

export const listPolicies = query({
  name: 'list_policies',
  summary: 'Policies of the organization in the order of their creation: all, or a page',
  params: z.object({ organizationId: Id, paginationOptions: Pagination.optional() }),
  result: z.object({ policies: z.array(Policy) }),
  errors: [],
  run: async ({ organization, read }, { paginationOptions }) =>
    listing(
      {
        name: 'policies',
        page: (page) => read.policies.page(organization.id, page),
        show: (some) => some.map(viewPolicy),
      },
      paginationOptions,
    ),
});
