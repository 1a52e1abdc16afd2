import { secp256k1 } from '@noble/curves/secp256k1.js';

/** Half of the order of secp256k1: of s and its negative, the lower one counts (EIP-2). */
const HALF = secp256k1.Point.Fn.ORDER >> 1n;

/**
 * The public key that signed the digest, 33 bytes. `r`, `s`: numbers; `v`: the recovery id, 0 or 1. Undefined if no key can have
 * made this signature.
 */
export function recoverPublicKey(digest: Uint8Array, r: bigint, s: bigint, v: 0 | 1): Uint8Array | undefined {
  if (s > HALF) return undefined;
  try {
    return new secp256k1.Signature(r, s, v).recoverPublicKey(digest).toBytes(true);
  } catch {
    return undefined;
  }
}
