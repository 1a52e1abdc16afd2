import { z } from 'zod';
import { storedForms } from '../../domain/sub-organizations.ts';
import { query } from '../../engine/query/declare.ts';
import { Id, IdOut, Pagination, pageOf } from '../../wire/common.ts';

const FILTERS = ['EMAIL', 'PHONE_NUMBER'] as const;

export const listVerifiedSuborgs = query({
  name: 'list_verified_suborgs',
  summary: 'List ids of sub-organizations with a user of this email or phone number who has shown that it is theirs',
  params: z.object({
    organizationId: Id,
    filterType: z.enum(FILTERS, { error: `must be one of ${FILTERS.join(', ')}` }),
    filterValue: z.string('is required with filterType').max(1024),
    paginationOptions: Pagination.optional(),
  }),
  result: z.object({ organizationIds: z.array(IdOut) }),
  errors: [],
  async run({ organization, read }, { filterType, filterValue, paginationOptions }) {
    const filter = { by: `VERIFIED_${filterType}`, values: storedForms(filterType, filterValue) } as const;
    return { organizationIds: await read.organizations.subOrganizationIds(organization.id, filter, pageOf(paginationOptions)) };
  },
});
