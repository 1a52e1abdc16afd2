import { z } from 'zod';
import { invalid } from '../../base/errors.ts';
import { assetsOf } from '../../chain-io/scan/assets.ts';
import { historyAnswer } from '../../chain-io/scan/history/answer.ts';
import { solanaHistory } from '../../chain-io/scan/history/solana.ts';
import { assetNode, walletAddress } from '../../chain-io/sends/asset-node.ts';
import { query } from '../../engine/query/declare.ts';
import { pageOf } from '../../wire/common.ts';
import { HistoryParams, HistoryParts, PageInfo } from '../../wire/history.ts';

export const listSolTransactionHistory = query({
  name: 'list_sol_transaction_history',
  summary: 'Transactions of the address of a wallet account on Solana, newest first',
  params: HistoryParams,
  result: z.object({
    transactions: z.array(
      z.object({
        signature: z.string(),
        feePayer: z.string(),
        signers: z.array(z.object({ address: z.string(), writable: z.boolean() })),
        ...HistoryParts,
      }),
    ),
    pageInfo: PageInfo,
  }),
  errors: ['NOT_FOUND', 'REQUEST_INVALID', 'RATE_LIMIT_EXCEEDED'],
  async run({ nodes, organization, read, now }, { address, caip2, paginationOptions }) {
    const node = assetNode(nodes, caip2);
    if (node.kind !== 'solana') throw invalid('caip2', `${caip2} is not Solana: use list_eth_transaction_history`);
    const account = await walletAddress(read, organization.id, node, address);
    const assets = assetsOf(nodes.assets(node));
    const of = solanaHistory({ organizationId: organization.id, address: account, node, assets, now });
    const { items, pageInfo } = await historyAnswer({ read, nodes, node, of, page: pageOf(paginationOptions) });
    return {
      transactions: items.map(({ row: { transactionHash, sender, signers }, parts }) => ({
        signature: transactionHash,
        feePayer: sender,
        signers: [...(signers ?? [])],
        ...parts,
      })),
      pageInfo,
    };
  },
});
