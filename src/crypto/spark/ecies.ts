import { createCipheriv, createDecipheriv, hkdfSync } from 'node:crypto';
import { secp256k1 as curve } from '@noble/curves/secp256k1.js';
import { zero } from '../../base/bytes.ts';
import type { Random } from '../../base/random.ts';
import { generatePrivateKey } from '../curves.ts';
import { bytesOfKey, type KeyBytes } from '../plain-key.ts';
import { secp256k1 } from '../secp256k1.ts';
import { scalarOf } from './scalars.ts';

/** The format of the package `eciesjs`: ephemeral key, nonce, tag, ciphertext. */
const EPHEMERAL = 65;
const NONCE = 16;
const TAG = 16;

export const ECIES_OVERHEAD: number = EPHEMERAL + NONCE + TAG;

const CIPHER = 'aes-256-gcm';

/** Multiplies in constant time, unlike `multiplyPoint`. The caller wipes the result. */
function sharedKey(ephemeral: Uint8Array, point: Uint8Array, secret: KeyBytes): Buffer {
  const shared = curve.Point.fromBytes(point).multiply(scalarOf(secret)).toBytes(false);
  const material = Buffer.concat([ephemeral, shared]);
  zero(shared);
  try {
    return Buffer.from(hkdfSync('sha256', material, '', '', 32));
  } finally {
    zero(material);
  }
}

/** Seals to a point of 33 bytes. */
export function seal(publicKey: Uint8Array, plain: KeyBytes, random: Random): Uint8Array {
  const secret = bytesOfKey(generatePrivateKey('CURVE_SECP256K1', random));
  const ephemeral = secp256k1.publicKey(secret, false);
  const key = sharedKey(ephemeral, publicKey, secret);
  zero(secret);
  const nonce = random(NONCE);
  const cipher = createCipheriv(CIPHER, key, nonce);
  zero(key);
  const body = Buffer.concat([cipher.update(bytesOfKey(plain)), cipher.final()]);
  return Buffer.concat([ephemeral, nonce, cipher.getAuthTag(), body]);
}

/** The plaintext, which the caller wipes. Undefined if the bytes were not sealed to this key. */
export function open(secret: KeyBytes, sealed: Uint8Array): Buffer | undefined {
  const ephemeral = sealed.subarray(0, EPHEMERAL);
  // libsecp256k1 reads also the hybrid form, which begins with 06 or 07.
  const isPoint = ephemeral[0] === 0x04 && secp256k1.convert(ephemeral, true) !== undefined;
  if (sealed.length < ECIES_OVERHEAD || !isPoint) return undefined;
  const key = sharedKey(ephemeral, ephemeral, secret);
  const decipher = createDecipheriv(CIPHER, key, sealed.subarray(EPHEMERAL, EPHEMERAL + NONCE), { authTagLength: TAG });
  zero(key);
  decipher.setAuthTag(sealed.subarray(EPHEMERAL + NONCE, ECIES_OVERHEAD));
  const plain = decipher.update(sealed.subarray(ECIES_OVERHEAD));
  try {
    decipher.final();
    return plain;
  } catch {
    zero(plain);
    return undefined;
  }
}
