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
  /** A recent block whose state every endpoint should have. Full nodes keep the state of their last 128 blocks alone. */
  keptForAll(): Promise<bigint | undefined>;
  prices(): Promise<EvmPrices>;
};

const PRICES_MS = 1_000;
const BLOCKS_MS = 1_000;
const KEPT_BLOCKS = 64n;

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
  async function leastFor(which: 'latest' | 'finalized'): Promise<bigint | undefined> {
    const blocks = await node.everyone.block(which);
    const numbers = (blocks ?? []).flatMap((block) => block?.number ?? []);
    if (blocks === undefined || numbers.length < blocks.length) return undefined;
    return numbers.reduce((a, b) => (a < b ? a : b));
  }
  const headForAll = recentAnswer(elapsed, BLOCKS_MS, () => leastFor('latest'));
  return {
    head,
    async finalized() {
      const [last, found] = await Promise.all([head(), told()]);
      return found ?? last - BigInt(finalityBlocks);
    },
    finalForAll: recentAnswer(elapsed, BLOCKS_MS, async () => {
      if ((await told()) !== undefined) return leastFor('finalized');
      const least = await headForAll();
      if (least === undefined) return undefined;
      return least < BigInt(finalityBlocks) ? 0n : least - BigInt(finalityBlocks);
    }),
    async keptForAll() {
      const least = await headForAll();
      return least === undefined || least < KEPT_BLOCKS ? undefined : least - KEPT_BLOCKS;
    },
    prices: recentAnswer(elapsed, PRICES_MS, () => node.prices()),
  };
}
