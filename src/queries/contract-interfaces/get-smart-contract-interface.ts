import { z } from 'zod';
import { ApiError } from '../../base/errors.ts';
import { query } from '../../engine/query/declare.ts';
import { Id } from '../../wire/common.ts';
import { ContractInterface, viewContractInterface } from '../../wire/contract-interfaces.ts';

export const getSmartContractInterface = query({
  name: 'get_smart_contract_interface',
  summary: 'The interface of one contract',
  params: z.object({ organizationId: Id, smartContractInterfaceId: Id }),
  result: z.object({ smartContractInterface: ContractInterface }),
  errors: ['NOT_FOUND'],
  async run({ organization, read }, { smartContractInterfaceId: id }) {
    const found = await read.contractInterfaces.get(organization.id, id);
    if (found === undefined)
      throw new ApiError('NOT_FOUND', `smart contract interface not found: smartContractInterfaceId names ${id}`);
    return { smartContractInterface: viewContractInterface(found) };
  },
});
