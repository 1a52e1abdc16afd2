import { z } from 'zod';
import { requireBoth, storedForms } from '../../domain/people/sub-organizations.ts';
import { query } from '../../engine/query/declare.ts';
import type { SubOrganizationFilter } from '../../store/types.ts';
import { filterTypeOf, Id, IdOut, Pagination, pageOf } from '../../wire/common.ts';

const FILTERS = ['EMAIL', 'PHONE_NUMBER'] as const;

export const listVerifiedSuborgs = query({
  name: 'list_verified_suborgs',
  summary: 'Ids of sub-organizations with a user who has verified an email address or phone number: any, or that of the filter',
  params: z.object({
    organizationId: Id,
    filterType: filterTypeOf(FILTERS),
    filterValue: z.string().max(1024).optional(),
    paginationOptions: Pagination.optional(),
  }),
  result: z.object({ organizationIds: z.array(IdOut) }),
  errors: ['REQUEST_INVALID'],
  async run({ organization, read }, { filterType, filterValue, paginationOptions }) {
    requireBoth(filterType, filterValue);
    const filter: SubOrganizationFilter =
      filterType === undefined
        ? { by: 'VERIFIED' }
        : { by: `VERIFIED_${filterType}`, values: storedForms(filterType, filterValue!) };
    return { organizationIds: await read.organizations.subOrganizationIds(organization.id, filter, pageOf(paginationOptions)) };
  },
});
