import { z } from 'zod';
import { assetNode, heldAt, walletAddress } from '../../chain-io/sends/asset-node.ts';
import { query } from '../../engine/query/declare.ts';
import { Id } from '../../wire/common.ts';
import { Caip2 } from '../../wire/sending.ts';

export const getWalletAddressBalances = query({
  name: 'get_wallet_address_balances',
  summary: 'The native coin and configured tokens that the address of a wallet account holds on a network',
  params: z.object({ organizationId: Id, address: z.string().max(256), caip2: Caip2 }),
  result: z.object({
    balances: z.array(
      z.object({
        caip19: z.string(),
        symbol: z.string(),
        balance: z.string(),
        decimals: z.int(),
        name: z.string(),
        tokenProgram: z.string().optional(),
      }),
    ),
  }),
  errors: ['NOT_FOUND', 'REQUEST_INVALID', 'RATE_LIMIT_EXCEEDED'],
  async run({ nodes, organization, read }, { address, caip2 }) {
    const node = assetNode(nodes, caip2);
    const account = await walletAddress(read, organization.id, node, address);
    const held = await heldAt(nodes, node, account, organization.id);
    return {
      balances: held.map(({ asset: { caip19, symbol, decimals, name }, amount, program }) => ({
        caip19,
        symbol,
        balance: String(amount),
        decimals,
        name,
        ...(program !== undefined && { tokenProgram: program }),
      })),
    };
  },
});
