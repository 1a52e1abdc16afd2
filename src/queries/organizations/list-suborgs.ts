import { z } from 'zod';
import { FILTERS, filterOf, requireBoth } from '../../domain/people/sub-organizations.ts';
import { query } from '../../engine/query/declare.ts';
import { filterTypeOf, Id, IdOut, Pagination, pageOf } from '../../wire/common.ts';
import { LONGEST_TOKEN } from '../../wire/oauth-providers.ts';

export const listSuborgs = query({
  name: 'list_suborgs',
  summary: 'Ids of sub-organizations: all, or those that match a filter',
  params: z.object({
    organizationId: Id,
    filterType: filterTypeOf(FILTERS),
    filterValue: z.string().max(LONGEST_TOKEN, `must have at most ${LONGEST_TOKEN} characters`).optional(),
    paginationOptions: Pagination.optional(),
  }),
  result: z.object({ organizationIds: z.array(IdOut) }),
  errors: ['REQUEST_INVALID', 'INVALID_OIDC_TOKEN'],
  async run(ctx, { filterType, filterValue, paginationOptions }) {
    const { organization, read } = ctx;
    requireBoth(filterType, filterValue);
    const filter = filterType === undefined ? undefined : await filterOf(ctx, filterType, filterValue!);
    return { organizationIds: await read.organizations.subOrganizationIds(organization.id, filter, pageOf(paginationOptions)) };
  },
});
