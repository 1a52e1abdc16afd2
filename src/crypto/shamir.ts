import { zero } from '../base/bytes.ts';
import type { Random } from '../base/random.ts';
import { interpolate, multiply } from './gf256.ts';

/** Shamir's secret sharing, byte by byte, over GF(256). A share is its number (1 to 255), then one byte for each byte of the secret. */

/** A polynomial for each byte of the secret. It holds the secret, so the caller wipes it. `rows[i]`: coefficients of xⁱ. */
export type Polynomials = { rows: readonly Buffer[]; wipe(): void };

export function polynomialsOf(secret: Uint8Array, threshold: number, random: Random): Polynomials {
  if (!Number.isInteger(threshold) || threshold < 2 || threshold > 255) throw new RangeError('a threshold is from 2 to 255');
  const rows = [Buffer.from(secret), ...Array.from({ length: threshold - 1 }, () => random(secret.length))];
  return { rows, wipe: () => rows.forEach(zero) };
}

/** The share of a number from 1 to 255. The caller wipes it. */
export function shareAt({ rows }: Polynomials, number: number): Buffer {
  if (!Number.isInteger(number) || number < 1 || number > 255) throw new RangeError('the number of a share is from 1 to 255');
  const share = Buffer.alloc(rows[0]!.length + 1);
  for (let row = rows.length - 1; row >= 0; row--)
    for (let i = 1; i < share.length; i++) share[i] = multiply(share[i]!, number) ^ rows[row]![i - 1]!;
  share[0] = number;
  return share;
}

/**
 * The secret that the shares give, which the caller wipes. Fewer shares than the threshold give unrelated bytes. Undefined if the shares have
 * different lengths, or two have the same number.
 */
export function combineShares(shares: readonly Uint8Array[]): Buffer | undefined {
  const numbers = shares.map((share) => share[0] ?? 0);
  const { length } = shares[0] ?? [];
  if (length === undefined || length < 2 || shares.some((share) => share.length !== length)) return undefined;
  if (numbers.includes(0) || new Set(numbers).size !== numbers.length) return undefined;
  return interpolate(
    shares.map((share) => ({ x: share[0]!, y: share.subarray(1) })),
    0,
  );
}
