import { z } from 'zod';
import { invalid } from '../../base/errors.ts';
import { storedForms } from '../../domain/sub-organizations.ts';
import { query } from '../../engine/query/declare.ts';
import { Id, IdOut, Pagination, pageOf } from '../../wire/common.ts';

const FILTERS = ['EMAIL', 'PHONE_NUMBER'] as const;

const MUST_BE = `must be one of ${FILTERS.join(', ')}`;

export const listVerifiedSuborgs = query({
  name: 'list_verified_suborgs',
  summary: 'List ids of sub-organizations with a user of this email or phone number who has shown that it is theirs',
  params: z.object({
    organizationId: Id,
    filterType: z.enum(FILTERS, { error: MUST_BE }).optional(),
    filterValue: z.string().max(1024).optional(),
    paginationOptions: Pagination.optional(),
  }),
  result: z.object({ organizationIds: z.array(IdOut) }),
  errors: ['REQUEST_INVALID'],
  async run({ organization, read }, { filterType, filterValue, paginationOptions }) {
    if (filterType === undefined) throw invalid('filterType', MUST_BE);
    if (filterValue === undefined) throw invalid('filterValue', 'is required');
    const filter = { by: `VERIFIED_${filterType}`, values: storedForms(filterType, filterValue) } as const;
    return { organizationIds: await read.organizations.subOrganizationIds(organization.id, filter, pageOf(paginationOptions)) };
  },
});
