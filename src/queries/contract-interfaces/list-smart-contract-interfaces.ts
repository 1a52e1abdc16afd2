import { z } from 'zod';
import { query } from '../../engine/query/declare.ts';
import { listing } from '../../engine/query/listing.ts';
import { Id, Pagination } from '../../wire/common.ts';
import { ContractInterface, viewContractInterface } from '../../wire/contract-interfaces.ts';

export const listSmartContractInterfaces = query({
  name: 'list_smart_contract_interfaces',
  summary: 'The contract interfaces of the organization in the order of their creation: all, or a page',
  params: z.object({ organizationId: Id, paginationOptions: Pagination.optional() }),
  result: z.object({ smartContractInterfaces: z.array(ContractInterface) }),
  errors: [],
  run: async ({ organization, read }, { paginationOptions }) =>
    listing(
      {
        name: 'smartContractInterfaces',
        page: (page) => read.contractInterfaces.page(organization.id, page),
        show: (some) => some.map(viewContractInterface),
        // One may have 400 KB.
        rows: 10,
      },
      paginationOptions,
    ),
});
