/** What one whole coin of a network costs. `usdE18`: USD × 10^18. `decimals`: digits between the coin and its smallest unit. */
export type CoinPrice = { readonly usdE18: bigint; readonly decimals: number };

/** Wei, and lamports. */
export const COIN_DECIMALS = { eip155: 18, solana: 9 } as const;

/** Whole micro-USD, which are stored and compared: no sum has a fraction. */
export const MICRO = 1_000_000;

const MOST_MICRO_USD = BigInt(Number.MAX_SAFE_INTEGER);

/** What so many smallest units of the coin cost in micro-USD, rounded up. At most 2^53 - 1, which is over every limit. */
export function microUsdOf(units: bigint, { usdE18, decimals }: CoinPrice): number {
  if (units < 0n) throw new RangeError('a cost is not negative');
  const divisor = 10n ** BigInt(decimals + 12);
  const micro = (units * usdE18 + divisor - 1n) / divisor;
  return Number(micro < MOST_MICRO_USD ? micro : MOST_MICRO_USD);
}
