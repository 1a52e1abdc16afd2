import type { Random } from '../base/random.ts';
import { asBuffer } from './buffers.ts';
import type { Curve, DigestCurve } from './curve-type.ts';
import { ed25519 } from './ed25519.ts';
import { isP256PrivateKey, p256Convert, p256PublicKey } from './p256.ts';
import { signP256 } from './p256-sign.ts';
import { asPlainKey, bytesOfKey, type KeyBytes, type PlainKey } from './plain-key.ts';
import { useNativePoints } from './points.ts';
import { secp256k1, signSecp256k1 } from './secp256k1.ts';

export type { Curve, DigestCurve } from './curve-type.ts';
export { signSchnorr, tapTweakPrivateKey } from './taproot.ts';

useNativePoints({ secp256k1, p256Uncompressed: (point) => p256Convert(point, 'uncompressed') });

/** 33 bytes, compressed (SEC 1 §2.3.3); 32 bytes on Ed25519 (RFC 8032 §5.1.5). Throws if the private key is invalid. */
export function publicKeyOf(curve: Curve, privateKey: KeyBytes): Buffer {
  const key = bytesOfKey(privateKey);
  switch (curve) {
    case 'CURVE_SECP256K1':
      return asBuffer(secp256k1.publicKey(key, true));
    case 'CURVE_P256':
      return p256PublicKey(key);
    case 'CURVE_ED25519':
      return ed25519.publicKey(key);
  }
}

/** Whether 32 bytes are a private key of the curve: 1 … n − 1, or any seed of Ed25519. */
export function isPrivateKey(curve: Curve, plain: KeyBytes): boolean {
  const key = bytesOfKey(plain);
  if (key.length !== 32) return false;
  if (curve === 'CURVE_SECP256K1') return secp256k1.isPrivateKey(key);
  return curve === 'CURVE_ED25519' || isP256PrivateKey(key);
}

/** With true randomness, at most one key in 2^32 needs a second attempt. */
const ATTEMPTS = 16;

/** A fresh private key, 32 bytes. The caller wipes it. */
export function generatePrivateKey(curve: Curve, random: Random): PlainKey {
  for (let i = 0; i < ATTEMPTS; i++) {
    const key = random(32);
    if (isPrivateKey(curve, key)) return asPlainKey(key);
  }
  throw new Error('the source of randomness gives no private key');
}

/** An ECDSA signature: `r` and `s` of 32 bytes each, low S, and the recovery id. */
export type DigestSignature = { r: Buffer; s: Buffer; v: 0 | 1 };

/**
 * ECDSA over a 32-byte digest with the nonce of RFC 6979 (SHA-256) and low S. The same input gives the same signature. `v` is the
 * parity of R's Y once S is low. (Recovery ids 2 and 3 need r ≥ n, which is infeasible to find.) Throws if the private key is
 * invalid.
 */
export function signDigest(curve: DigestCurve, privateKey: KeyBytes, digest: Uint8Array): DigestSignature {
  const key = bytesOfKey(privateKey);
  const { signature, recovery } = curve === 'CURVE_SECP256K1' ? signSecp256k1(digest, key) : signP256(digest, key);
  return { r: signature.subarray(0, 32), s: signature.subarray(32), v: (recovery & 1) as 0 | 1 };
}

/** PureEdDSA (RFC 8032 §5.1.6) over the message itself: 64 bytes. `seed`: 32 bytes. */
export function signEd25519(seed: KeyBytes, message: Uint8Array): Buffer {
  return ed25519.sign(bytesOfKey(seed), message);
}
