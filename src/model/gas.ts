/** The price of one whole coin of a network. `usdE18`: USD × 10^18. `decimals`: digits between the coin and its smallest unit. */
export type CoinPrice = { readonly usdE18: bigint; readonly decimals: number };

/** For wei and lamports. */
export const COIN_DECIMALS = { eip155: 18, solana: 9 } as const;

/** Micro-USD in one USD. Amounts are stored and compared in whole micro-USD, so no sum has a fraction. */
export const MICRO = 1_000_000;

const MOST_MICRO_USD = BigInt(Number.MAX_SAFE_INTEGER);

/** The cost of `units` smallest units of the coin in micro-USD, rounded up. At most 2^53 - 1, which exceeds every limit. */
export function microUsdOf(units: bigint, { usdE18, decimals }: CoinPrice): number {
  if (units < 0n) throw new RangeError('a cost is not negative');
  const divisor = 10n ** BigInt(decimals + 12);
  const micro = (units * usdE18 + divisor - 1n) / divisor;
  return Number(micro < MOST_MICRO_USD ? micro : MOST_MICRO_USD);
}

/** How a top-level organization sponsors its own sends and those of its sub-organizations. */
export type GasConfig = {
  organizationId: string;
  id: string;
  enabled: boolean;
  /** For all sends together, in a window. */
  orgLimitMicroUsd: number;
  /** For each sub-organization, in a window. */
  subOrgLimitMicroUsd: number;
  windowMinutes: number;
  createdAt: number;
  updatedAt: number;
};

/** The possible or actual cost of a sponsored send. `payerId`: the top-level organization. */
export type GasReservation = {
  organizationId: string;
  sendId: string;
  payerId: string;
  /** When the cost was reserved. The cost counts at this time. */
  reservedAt: number;
  microUsd: number;
  /** The price at that time, USD × 10^18 for a coin. The final cost is computed with the same price. */
  usdE18: string;
  decimals: number;
};

const USD = /^(\d{1,10})(?:\.(\d{1,6}))?$/;

/** One billion (10^9). */
const MOST_USD = 1_000_000_000;

/**
 * Micro-USD from a decimal text, such as 12.5. Undefined if the text is no such number, has more than six decimals, or exceeds one
 * billion.
 */
export function parseUsd(text: string): number | undefined {
  const [, whole, decimals = ''] = USD.exec(text) ?? [];
  if (whole === undefined || Number(whole) > MOST_USD) return undefined;
  return Number(whole) * MICRO + Number(decimals.padEnd(6, '0'));
}

/** At least two decimals, and no unnecessary ones. */
export function formatUsd(microUsd: number): string {
  const decimals = String(microUsd % MICRO)
    .padStart(6, '0')
    .replace(/0{1,4}$/, '');
  return `${Math.floor(microUsd / MICRO)}.${decimals}`;
}

const PRICE = /^(\d{1,12})(?:\.(\d{1,18}))?$/;

/** A price from a decimal text. Undefined if the text is no such number, or is 0: a cost of zero would have no limit. */
export function parsePrice(text: string): bigint | undefined {
  const [, whole, decimals = ''] = PRICE.exec(text) ?? [];
  const usdE18 = whole === undefined ? 0n : BigInt(whole) * 10n ** 18n + BigInt(decimals.padEnd(18, '0'));
  return usdE18 > 0n ? usdE18 : undefined;
}

export function formatPrice(usdE18: bigint): string {
  const digits = String(usdE18).padStart(19, '0');
  return `${digits.slice(0, -18)}.${digits.slice(-18)}`.replace(/\.?0+$/, '');
}
