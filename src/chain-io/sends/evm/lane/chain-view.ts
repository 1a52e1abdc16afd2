import type { Clock } from '../../../../base/clock.ts';
import type { EvmPrices } from '../../../nodes/evm/fees.ts';
import type { EvmNode } from '../../../nodes/evm/node.ts';
import { recentAnswer } from '../../../nodes/recent-answer.ts';
import { RpcError } from '../../../nodes/types.ts';

/** The questions that all accounts of one chain share. */
export type ChainView = {
  /** The number of the latest block. */
  head(): Promise<bigint>;
  /** The number of the latest block that is final. */
  finalized(): Promise<bigint>;
  /** The same, by the endpoint that has the least. Undefined unless every endpoint answers. */
  finalForAll(): Promise<bigint | undefined>;
  prices(): Promise<EvmPrices>;
};

const PRICES_MS = 1_000;
const BLOCKS_MS = 1_000;

export function chainView(node: EvmNode, elapsed: Clock, finalityBlocks: number): ChainView {
  const head = recentAnswer(elapsed, BLOCKS_MS, async () => (await node.block('latest')).value?.number ?? 0n);
  /** Undefined on a chain that has no `finalized` block. */
  const told = recentAnswer(elapsed, BLOCKS_MS, async () => {
    try {
      return (await node.block('finalized')).value?.number;
    } catch (error) {
      if (error instanceof RpcError) return undefined;
      throw error;
    }
  });
  return {
    head,
    async finalized() {
      const [last, found] = await Promise.all([head(), told()]);
      return found ?? last - BigInt(finalityBlocks);
    },
    finalForAll: recentAnswer(elapsed, BLOCKS_MS, async () => {
      const isTold = (await told()) !== undefined;
      const blocks = await node.everyone.block(isTold ? 'finalized' : 'latest');
      const numbers = (blocks ?? []).flatMap((block) => block?.number ?? []);
      if (blocks === undefined || numbers.length < blocks.length) return undefined;
      const least = numbers.reduce((a, b) => (a < b ? a : b)) - (isTold ? 0n : BigInt(finalityBlocks));
      return least < 0n ? 0n : least;
    }),
    prices: recentAnswer(elapsed, PRICES_MS, () => node.prices()),
  };
}
