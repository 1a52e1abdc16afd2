import { ApiError } from '../../base/errors.ts';
import type { Reader, Store, Writer } from '../../store/types.ts';

/** How often an action is allowed within a time window. */
export type Allowance = {
  /** The limited action, such as `sign-ups-of-address`. */
  scope: string;
  /** The user, address or organization that the limit is for. Stored as a keyed hash. */
  key: string;
  most: number;
  /** The window begins with the first use. When it ends, the full allowance is available again. */
  windowMs: number;
  now: number;
  /** Makes the error that is thrown in place of RATE_LIMIT_EXCEEDED. */
  over?(retryAfterMs: number): ApiError;
};

type RateKey = (scope: string, key: string) => Buffer;

/** Windows that ended are deleted a few at a time. Each use makes at most one row, so the table does not grow. */
const SWEPT_AT_ONCE = 5;

/** How far the time of other processes may differ from this one's. */
const APART = 60_000;

const overOf = ({ over, windowMs }: Allowance, retryAfterMs: number): ApiError => {
  const wait = Math.min(windowMs, Math.max(1, retryAfterMs));
  return over?.(wait) ?? new ApiError('RATE_LIMIT_EXCEEDED', undefined, { retryAfterMs: wait });
};

/** Throws if an allowance is used up. Spends nothing. */
export async function requireLeft(read: Pick<Reader, 'rates'>, allowance: Allowance, key: Buffer): Promise<void> {
  const { most, windowMs, now } = allowance;
  if (most < 1) throw overOf(allowance, windowMs);
  const rate = await read.rates.get(key);
  if (rate === undefined || rate.endsAt <= now || rate.endsAt > now + windowMs + APART || rate.spent < most) return;
  throw overOf(allowance, rate.endsAt - now);
}

/**
 * Inside a transaction: spends one of each allowance, or throws RATE_LIMIT_EXCEEDED with `retryAfterMs`, and the transaction
 * changes nothing. Processes that share a database share the allowances. Call it once, with all allowances: it locks them in
 * one order, so that no two transactions deadlock.
 */
export async function spend(ctx: { store: Writer; rateKey: RateKey }, ...allowances: readonly Allowance[]): Promise<void> {
  const { store, rateKey } = ctx;
  const keyed = allowances.map((allowance) => ({ allowance, key: rateKey(allowance.scope, allowance.key) }));
  keyed.sort((a, b) => Buffer.compare(a.key, b.key));
  for (const { allowance, key } of keyed) {
    const { most, windowMs, now } = allowance;
    const endsAt = now + windowMs;
    const isSpent = most >= 1 && (await store.rates.spend({ key, most, now, endsAt, latest: endsAt + APART }));
    if (isSpent) continue;
    await requireLeft(store, allowance, key);
    throw overOf(allowance, 1);
  }
  const now = Math.min(...allowances.map((allowance) => allowance.now));
  await store.rates.sweep(now - APART, SWEPT_AT_ONCE * allowances.length);
}

/** The same in a transaction of its own. A caller over a limit costs one read, and no write. */
export async function spendNow(
  engine: { store: Pick<Store, 'read' | 'transaction'>; vault: { rateKey: RateKey } },
  ...allowances: readonly Allowance[]
): Promise<void> {
  const { store, vault } = engine;
  const { rateKey } = vault;
  for (const allowance of allowances) {
    await requireLeft(store.read, allowance, rateKey(allowance.scope, allowance.key));
  }
  await store.transaction((tx) => spend({ store: tx, rateKey }, ...allowances));
}
