import { z } from 'zod';
import { invalid } from '../../base/errors.ts';
import { assetsOf } from '../../chain-io/scan/assets.ts';
import { historyAnswer } from '../../chain-io/scan/history/answer.ts';
import { evmHistory } from '../../chain-io/scan/history/evm.ts';
import { assetNode, walletAddress } from '../../chain-io/sends/asset-node.ts';
import { query } from '../../engine/query/declare.ts';
import { pageOf } from '../../wire/common.ts';
import { HistoryParams, HistoryParts, PageInfo } from '../../wire/history.ts';

export const listEthTransactionHistory = query({
  name: 'list_eth_transaction_history',
  summary: 'Transactions of the address of a wallet account on an EVM chain, newest first',
  params: HistoryParams,
  result: z.object({
    transactions: z.array(
      z.object({ transactionHash: z.string(), from: z.string(), to: z.string().optional(), ...HistoryParts }),
    ),
    pageInfo: PageInfo,
  }),
  errors: ['NOT_FOUND', 'REQUEST_INVALID', 'RATE_LIMIT_EXCEEDED'],
  async run({ nodes, organization, read }, { address, caip2, paginationOptions }) {
    const node = assetNode(nodes, caip2);
    if (node.kind !== 'eip155') throw invalid('caip2', `${caip2} is no EVM chain: use list_sol_transaction_history`);
    const account = await walletAddress(read, organization.id, node, address);
    const assets = assetsOf(nodes.assets(node));
    const of = evmHistory({ organizationId: organization.id, address: account, node, assets });
    const { items, pageInfo } = await historyAnswer({ read, nodes, node, of, page: pageOf(paginationOptions) });
    return {
      transactions: items.map(({ row: { transactionHash, sender, recipient }, parts }) => ({
        transactionHash,
        from: sender,
        ...(recipient !== null && { to: recipient }),
        ...parts,
      })),
      pageInfo,
    };
  },
});
