import { z } from 'zod';
import { invalid } from '../../base/errors.ts';
import { addressForms } from '../../chains/index.ts';
import { phoneForms } from '../../domain/contacts.ts';
import { query } from '../../engine/query/declare.ts';
import { emailKey } from '../../login/contacts.ts';
import { Id, IdOut, Pagination, pageOf } from '../../wire/common.ts';

const FILTERS = ['NAME', 'USERNAME', 'EMAIL', 'PHONE_NUMBER', 'PUBLIC_KEY', 'WALLET_ACCOUNT_ADDRESS'] as const;

/** The forms under which a value may be stored. */
function forms(by: (typeof FILTERS)[number], value: string): string[] {
  if (by === 'EMAIL') return [emailKey(value.normalize('NFC'))];
  if (by === 'PHONE_NUMBER') return phoneForms(value);
  if (by === 'PUBLIC_KEY') return [value.toLowerCase()];
  if (by === 'WALLET_ACCOUNT_ADDRESS') return [...addressForms(value)];
  return [value];
}

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
    const filter = filterType === undefined ? undefined : { by: filterType, values: forms(filterType, filterValue!) };
    return { organizationIds: await read.organizations.subOrganizationIds(organization.id, filter, pageOf(paginationOptions)) };
  },
});
