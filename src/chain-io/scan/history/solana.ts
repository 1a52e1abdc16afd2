import type { ScannedTransaction } from '../../../model/scan.ts';
import type { SolanaNode } from '../../nodes/solana/node.ts';
import type { Assets } from '../assets.ts';
import { placeIn, rowOf } from '../solana/transactions.ts';
import type { HistoryOf } from './page.ts';

/** How long nodes have for transactions, and for blocks. */
const MILLISECONDS = 5000;

type Parts = { organizationId: string; address: string; node: SolanaNode; assets: Assets; now: number };

/** The history of an address on Solana. */
export function solanaHistory({ organizationId, address, node, assets, now }: Parts): HistoryOf {
  const { caip2, scans } = node;
  return {
    organizationId,
    caip2,
    address,
    fromAddress: address,
    placeOf: ({ blockNumber, hash }) => placeIn(blockNumber!, hash),
    async look(sends): Promise<ScannedTransaction[]> {
      const found = await scans.transactions(
        sends.map(({ hash }) => hash),
        MILLISECONDS,
      );
      const landed = found.filter((one) => one !== undefined);
      const blocks = await scans.blocks([...new Set(landed.map(({ slot }) => slot))], MILLISECONDS);
      return sends.flatMap((send, i) => {
        const transaction = found[i];
        if (transaction === undefined) return [];
        const mined = { caip2, block: blocks.get(transaction.slot)!, assets, now };
        return [{ ...rowOf(transaction, { organizationId, address }, mined), finalized: send.state === 'final' }];
      });
    },
  };
}
