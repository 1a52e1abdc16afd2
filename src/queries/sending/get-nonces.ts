import { z } from 'zod';
import { ApiError } from '../../base/errors.ts';
import { asked } from '../../chain-io/sends/evm/fill.ts';
import { EvmAddress } from '../../chain-io/sends/evm/params.ts';
import { servedNode } from '../../chain-io/sends/evm/plan.ts';
import { MESSAGE_NONCE_SLOT, messageNonce } from '../../chains/ethereum/delegation.ts';
import { query } from '../../engine/query/declare.ts';
import { Id } from '../../wire/common.ts';
import { EvmCaip2 } from '../../wire/sending.ts';

export const getNonces = query({
  name: 'get_nonces',
  summary: 'The next nonces of an account on an EVM chain: of its transactions, and of its messages to a delegate contract',
  params: z.object({
    organizationId: Id,
    address: EvmAddress,
    caip2: EvmCaip2,
    nonce: z.boolean().optional(),
    gasStationNonce: z.boolean().optional(),
  }),
  result: z.object({ nonce: z.string().optional(), gasStationNonce: z.string().optional() }),
  errors: ['REQUEST_INVALID'],
  async run({ nodes }, { address, caip2, nonce, gasStationNonce }) {
    const node = servedNode(nodes, caip2, 'caip2');
    if (node instanceof ApiError) throw node;
    const account = address.toLowerCase() as `0x${string}`;
    const [own, word] = await asked(node, () =>
      Promise.all([
        nonce ? node.nonce(account, 'pending') : undefined,
        gasStationNonce ? node.storage(account, MESSAGE_NONCE_SLOT) : undefined,
      ]),
    );
    return {
      ...(own !== undefined && { nonce: String(own) }),
      ...(word !== undefined && { gasStationNonce: String(messageNonce(word)) }),
    };
  },
});
