import { z } from 'zod';
import { invalid } from '../../base/errors.ts';
import { FILTERS, storedForms } from '../../domain/sub-organizations.ts';
import { query } from '../../engine/query/declare.ts';
import { Id, IdOut, Pagination, pageOf } from '../../wire/common.ts';

export const listSuborgs = query({
  name: 'list_suborgs',
  summary: 'List ids of sub-organizations, all of them or those that match a filter',
  params: z.object({
    organizationId: Id,
    filterType: z.enum(FILTERS, { error: `must be one of ${FILTERS.join(', ')}` }).optional(),
    filterValue: z.string().max(1024).optional(),
    paginationOptions: Pagination.optional(),
  }),
  result: z.object({ organizationIds: z.array(IdOut) }),
  errors: ['REQUEST_INVALID'],
  async run({ organization, read }, { filterType, filterValue, paginationOptions }) {
    if (filterType !== undefined && filterValue === undefined) throw invalid('filterValue', 'is required with filterType');
    const filter = filterType === undefined ? undefined : { by: filterType, values: storedForms(filterType, filterValue!) };
    return { organizationIds: await read.organizations.subOrganizationIds(organization.id, filter, pageOf(paginationOptions)) };
  },
});
