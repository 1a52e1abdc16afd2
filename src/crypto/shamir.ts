import { zero } from '../base/bytes.ts';
import type { Random } from '../base/random.ts';

/**
 * Shamir's secret sharing, byte by byte, over GF(256) with the polynomial of AES: x⁸ + x⁴ + x³ + x + 1. A share is its number (1 to 255), then
 * one byte for each byte of the secret. The arithmetic has no table and no branch that depends on a secret.
 */

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
  const secret = Buffer.alloc(length - 1);
  for (const [at, share] of shares.entries()) {
    const weight = weightAtZero(numbers, at);
    for (let i = 1; i < length; i++) secret[i - 1]! ^= multiply(share[i]!, weight);
  }
  return secret;
}

/** The Lagrange basis polynomial of one number, at zero. */
function weightAtZero(numbers: readonly number[], at: number): number {
  const own = numbers[at]!;
  let weight = 1;
  for (const [i, number] of numbers.entries()) if (i !== at) weight = multiply(weight, multiply(number, inverse(own ^ number)));
  return weight;
}

function multiply(a: number, b: number): number {
  let product = 0;
  let shifted = a;
  for (let bit = 0; bit < 8; bit++) {
    product ^= shifted & -((b >> bit) & 1);
    shifted = (shifted << 1) ^ (0x11b & -(shifted >> 7));
  }
  return product;
}

/** The power 254. */
function inverse(a: number): number {
  let power = a;
  for (let i = 0; i < 6; i++) power = multiply(multiply(power, power), a);
  return multiply(power, power);
}
