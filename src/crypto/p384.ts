import { createECDH, verify } from 'node:crypto';
import { p384 } from '@noble/curves/nist.js';
import type { Random } from '../base/random.ts';
import { importPublicKey } from './import-key.ts';
import { bytesOfKey, type KeyBytes } from './plain-key.ts';

/** P-384 with SHA-384 (ES384, RFC 9053 §2.1), for the documents that describe processes. */

const SECRET_BYTES = 48;
/** With true randomness, at most one key in 2^190 needs a second attempt. */
const ATTEMPTS = 16;

/** A fresh private key, 48 bytes. The caller wipes it. */
export function generateP384(random: Random): Buffer {
  for (let i = 0; i < ATTEMPTS; i++) {
    const key = random(SECRET_BYTES);
    if (p384.utils.isValidSecretKey(key)) return key;
  }
  throw new Error('the source of randomness gives no private key');
}

/** 97 bytes, uncompressed. Throws if the private key is invalid. By OpenSSL: each first start of a service makes such a key. */
export function p384PublicKey(privateKey: KeyBytes): Buffer {
  const key = bytesOfKey(privateKey);
  if (!p384.utils.isValidSecretKey(key)) throw new RangeError('not a private key of P-384');
  const pair = createECDH('secp384r1');
  pair.setPrivateKey(key);
  return pair.getPublicKey();
}

/** r ‖ s, 96 bytes, with the nonce of RFC 6979: the same input gives the same signature. */
export const signEs384 = (data: Uint8Array, privateKey: Uint8Array): Uint8Array => p384.sign(data, privateKey, { lowS: false });

/** SubjectPublicKeyInfo of an uncompressed P-384 point, up to the point itself (RFC 5480 §2). */
const SPKI = Buffer.from('3076301006072a8648ce3d020106052b81040022036200', 'hex');

/** By OpenSSL, which takes a tenth of the library's time. Never throws. */
export function verifyEs384(signature: Uint8Array, data: Uint8Array, publicKey: Uint8Array): boolean {
  try {
    const key = importPublicKey(Buffer.concat([SPKI, publicKey]));
    return verify('sha384', data, { key, dsaEncoding: 'ieee-p1363' }, signature);
  } catch {
    return false;
  }
}
