import type { FeeHistory } from './values.ts';

/** A transaction's fees for a unit of gas, in wei. */
export type EvmFees =
  | { readonly kind: 'eip1559'; readonly maxFeePerGas: bigint; readonly maxPriorityFeePerGas: bigint }
  | { readonly kind: 'legacy'; readonly gasPrice: bigint };

/** The current prices. `baseFee`: of the next block. */
export type EvmPrices =
  | {
      readonly kind: 'eip1559';
      readonly baseFee: bigint;
      readonly priorityFees: readonly [low: bigint, usual: bigint, high: bigint];
    }
  | { readonly kind: 'legacy'; readonly gasPrice: bigint };

/** Percentiles of the fees of past blocks’ transactions. */
export const PERCENTILES = [10, 50, 90] as const;
export const BLOCKS = 10;

const larger = (a: bigint, b: bigint) => (a > b ? a : b);

/** The middle value: one block of hurried transactions says little. */
function median(values: readonly bigint[]): bigint {
  const sorted = [...values].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  return sorted[sorted.length >> 1] ?? 0n;
}

/** Empty blocks have rewards of 0, and are not counted. `floor`: the node's suggestion. */
export function pricesOf({ baseFees, rewards }: FeeHistory, floor: bigint): EvmPrices {
  const baseFee = baseFees.at(-1) ?? 0n;
  const used = rewards.filter((block) => block.length === PERCENTILES.length && block.some((reward) => reward > 0n));
  const paid = (i: number) => median(used.map((block) => block[i]!));
  const low = used.length === 0 ? floor : paid(0);
  return { kind: 'eip1559', baseFee, priorityFees: [low, larger(paid(1), floor), larger(paid(2), floor)] };
}

/** The fees for a new transaction. The base fee may double until it is in a block, which takes six full blocks. */
export function feesFor(prices: EvmPrices): EvmFees {
  if (prices.kind === 'legacy') return { kind: 'legacy', gasPrice: prices.gasPrice };
  const maxPriorityFeePerGas = prices.priorityFees[1];
  return { kind: 'eip1559', maxFeePerGas: 2n * prices.baseFee + maxPriorityFeePerGas, maxPriorityFeePerGas };
}

/** A node takes a replacement if each fee is a tenth higher. This is an eighth, and one more wei for rounding. */
const raised = (fee: bigint) => (fee * 1125n) / 1000n + 1n;

/** The least fees at which nodes take a replacement. */
export function leastReplacement(before: EvmFees): EvmFees {
  if (before.kind === 'legacy') return { kind: 'legacy', gasPrice: raised(before.gasPrice) };
  const maxPriorityFeePerGas = raised(before.maxPriorityFeePerGas);
  return { kind: 'eip1559', maxFeePerGas: larger(raised(before.maxFeePerGas), maxPriorityFeePerGas), maxPriorityFeePerGas };
}

/**
 * The fees of a replacement: high enough for nodes to take it, and at least current prices. Undefined if that exceeds `most`, the
 * bound for a unit of gas in all. The pending transaction then stays as it is.
 */
export function replacementFees(before: EvmFees, prices: EvmPrices, most: bigint): EvmFees | undefined {
  const now = feesFor(prices);
  const least = leastReplacement(before);
  if (least.kind === 'legacy') {
    const wanted = larger(least.gasPrice, now.kind === 'legacy' ? now.gasPrice : now.maxFeePerGas);
    const gasPrice = wanted <= most ? wanted : least.gasPrice;
    return gasPrice <= most ? { kind: 'legacy', gasPrice } : undefined;
  }
  const current = now.kind === 'eip1559' ? now : { maxFeePerGas: now.gasPrice, maxPriorityFeePerGas: now.gasPrice };
  const maxPriorityFeePerGas = larger(least.maxPriorityFeePerGas, current.maxPriorityFeePerGas);
  const wanted = larger(larger(least.maxFeePerGas, current.maxFeePerGas), maxPriorityFeePerGas);
  // The current price may exceed the bound while the least that a node takes does not.
  const maxFeePerGas = wanted <= most ? wanted : least.maxFeePerGas;
  if (maxFeePerGas > most) return undefined;
  return {
    kind: 'eip1559',
    maxFeePerGas,
    maxPriorityFeePerGas: maxPriorityFeePerGas <= maxFeePerGas ? maxPriorityFeePerGas : least.maxPriorityFeePerGas,
  };
}
