import { z } from 'zod';
import { ApiError } from '../../base/errors.ts';
import { activity } from '../../engine/activity/declare.ts';
import { v1 } from '../../engine/activity/versions.ts';
import { Id, IdOut } from '../../wire/common.ts';

export const deleteSmartContractInterface = activity({
  kind: 'DELETE_SMART_CONTRACT_INTERFACE',
  resource: 'SMART_CONTRACT_INTERFACE',
  action: 'DELETE',
  summary: 'Delete the interface of a contract',
  params: v1(z.object({ smartContractInterfaceId: Id })),
  result: { key: 'deleteSmartContractInterfaceResult', shape: z.object({ smartContractInterfaceId: IdOut }) },
  errors: ['NOT_FOUND'],
  async execute({ ctx, intent: { smartContractInterfaceId: id } }) {
    if (!(await ctx.store.contractInterfaces.remove(ctx.organization.id, id)))
      throw new ApiError('NOT_FOUND', `smart contract interface not found: parameters.smartContractInterfaceId names ${id}`);
    return { smartContractInterfaceId: id };
  },
});
