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

/** Whom a top-level organization sponsors: its own sends and those of its sub-organizations. */
export type GasConfig = {
  organizationId: string;
  id: string;
  enabled: boolean;
  /** Of all sends together, in a window. */
  orgLimitMicroUsd: number;
  /** Of each sub-organization. */
  subOrgLimitMicroUsd: number;
  windowMinutes: number;
  createdAt: number;
  updatedAt: number;
};

/** What a sponsored send may cost, or did. `payerId`: the top-level organization. */
export type GasReservation = {
  organizationId: string;
  sendId: string;
  payerId: string;
  /** When it was reserved: that is the time at which it counts. */
  reservedAt: number;
  microUsd: number;
  /** USD × 10^18 for a coin, as it was then: settling needs no other. */
  usdE18: string;
  decimals: number;
};

const USD = /^(\d{1,10})(?:\.(\d{1,6}))?$/;

/** A thousand million. */
const MOST_USD = 1_000_000_000;

/** Micro-USD of a decimal text, such as 12.5. Undefined if it is none, has more than six decimals, or is over a thousand million. */
export function parseUsd(text: string): number | undefined {
  const [, whole, decimals = ''] = USD.exec(text) ?? [];
  if (whole === undefined || Number(whole) > MOST_USD) return undefined;
  return Number(whole) * MICRO + Number(decimals.padEnd(6, '0'));
}

/** Two decimals at least, and no more than it needs. */
export function formatUsd(microUsd: number): string {
  const decimals = String(microUsd % MICRO)
    .padStart(6, '0')
    .replace(/0{1,4}$/, '');
  return `${Math.floor(microUsd / MICRO)}.${decimals}`;
}

const PRICE = /^(\d{1,12})(?:\.(\d{1,18}))?$/;

/** A price of a decimal text. Undefined if it is none, or 0: what costs nothing has no limit. */
export function parsePrice(text: string): bigint | undefined {
  const [, whole, decimals = ''] = PRICE.exec(text) ?? [];
  const usdE18 = whole === undefined ? 0n : BigInt(whole) * 10n ** 18n + BigInt(decimals.padEnd(18, '0'));
  return usdE18 > 0n ? usdE18 : undefined;
}

export function formatPrice(usdE18: bigint): string {
  const digits = String(usdE18).padStart(19, '0');
  return `${digits.slice(0, -18)}.${digits.slice(-18)}`.replace(/\.?0+$/, '');
}
