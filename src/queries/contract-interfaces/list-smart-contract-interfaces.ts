import { z } from 'zod';
import { query } from '../../engine/query/declare.ts';
import { Id } from '../../wire/common.ts';
import { ContractInterface, viewContractInterface } from '../../wire/contract-interfaces.ts';

export const listSmartContractInterfaces = query({
  name: 'list_smart_contract_interfaces',
  summary: 'The interfaces of all contracts that the organization stored',
  params: z.object({ organizationId: Id }),
  result: z.object({ smartContractInterfaces: z.array(ContractInterface) }),
  errors: [],
  async run({ organization, read }) {
    return { smartContractInterfaces: (await read.contractInterfaces.list(organization.id)).map(viewContractInterface) };
  },
});
