import type { Random } from '../../base/random.ts';
import { secp256k1 } from '../secp256k1.ts';
import { Fn, freshScalar, scalarBytes } from './scalars.ts';

/** `shares`: of the recipients 1, 2, …. `proofs`: the coefficients times the generator, the secret's first. */
export type Split = { shares: readonly Uint8Array[]; proofs: readonly Uint8Array[] };

/** Splits a secret (not 0) so that `threshold` of `count` shares restore it, and each can be verified (Feldman). */
export function splitSecret(secret: bigint, threshold: number, count: number, random: Random): Split {
  const coefficients = [secret, ...Array.from({ length: threshold - 1 }, () => freshScalar(random))];
  const valueAt = (x: bigint) => coefficients.reduceRight((sum, coefficient) => Fn.add(Fn.mul(sum, x), coefficient), 0n);
  return {
    shares: Array.from({ length: count }, (_, i) => scalarBytes(valueAt(BigInt(i + 1)))),
    proofs: coefficients.map((coefficient) => secp256k1.publicKey(scalarBytes(coefficient), true)),
  };
}
