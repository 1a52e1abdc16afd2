import { createRequire } from 'node:module';
import { zero } from '../base/bytes.ts';
import { asBuffer } from './buffers.ts';
import { asPlainKey, bytesOfKey, type KeyBytes, type PlainKey } from './plain-key.ts';
import { tapTweakOf } from './points.ts';
import { secp256k1 } from './secp256k1.ts';

type SchnorrSigner = { signSchnorr(digest: Uint8Array, key: Uint8Array, auxiliary: Uint8Array): Uint8Array };

let signer: SchnorrSigner | undefined;

/** libsecp256k1 as WebAssembly: its native addon lacks Schnorr signatures. Loaded at the first signature. */
function schnorrSigner(): SchnorrSigner {
  signer ??= createRequire(import.meta.url)('tiny-secp256k1') as SchnorrSigner;
  return signer;
}

/** BIP-340 over a 32-byte message with 32 bytes of auxiliary randomness: 64 bytes. Throws if the key is invalid. */
export function signSchnorr(privateKey: KeyBytes, message: Uint8Array, auxiliary: Uint8Array): Buffer {
  return asBuffer(schnorrSigner().signSchnorr(message, bytesOfKey(privateKey), auxiliary));
}

/** The key that signs for a BIP-341 key-path output without a script tree (BIP-86): 32 bytes. The caller wipes it. */
export function tapTweakPrivateKey(privateKey: KeyBytes): PlainKey {
  const key = bytesOfKey(privateKey);
  const point = secp256k1.publicKey(key, true);
  // BIP-341 requires the point with even Y: if Y is odd, the key is n − key.
  const even = point[0] === 0x03 ? secp256k1.negate(key) : Buffer.from(key);
  const tweaked = secp256k1.addToPrivateKey(even, tapTweakOf(point.subarray(1)));
  zero(even);
  if (tweaked === undefined) throw new Error('the tweak of this key is out of range');
  return asPlainKey(asBuffer(tweaked));
}
