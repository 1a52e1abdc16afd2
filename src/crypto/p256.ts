import { createECDH, ECDH, type KeyObject, verify } from 'node:crypto';
import { p256 } from '@noble/curves/nist.js';
import { importPublicKey } from './import-key.ts';

export const OPENSSL_NAME = 'prime256v1';

/** Order of the group (SEC 2 §2.7.2). */
export const P256_N = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;

/** 33 bytes, compressed. Throws if the key is not in 1 … n − 1. */
export function p256PublicKey(privateKey: Uint8Array): Buffer {
  if (!isP256PrivateKey(privateKey)) throw new RangeError('not a private key of P-256');
  const pair = createECDH(OPENSSL_NAME);
  pair.setPrivateKey(privateKey);
  return pair.getPublicKey(null, 'compressed') as unknown as Buffer;
}

/** The point (33 or 65 bytes) in the requested form. Undefined if it is not a point of the curve. */
export function p256Convert(point: Uint8Array, form: 'compressed' | 'uncompressed'): Buffer | undefined {
  if (point.length !== 33 && !(point.length === 65 && point[0] === 0x04)) return undefined;
  try {
    return ECDH.convertKey(point, OPENSSL_NAME, undefined, undefined, form) as Buffer;
  } catch {
    return undefined;
  }
}

/** SubjectPublicKeyInfo of a compressed P-256 point, up to the point itself (RFC 5480 §2). */
const SPKI = Buffer.from('3039301306072a8648ce3d020106082a8648ce3d030107032200', 'hex');

/** A key object for crypto.verify. Undefined if the input is not a compressed point of the curve. */
export function p256VerifyKey(point: Buffer): KeyObject | undefined {
  if (point.length !== 33) return undefined;
  try {
    return importPublicKey(Buffer.concat([SPKI, point]));
  } catch {
    return undefined;
  }
}

/** ECDSA over SHA-256 of the data. `signature`: r ‖ s. `point`: 33 or 65 bytes. False for anything malformed. */
export function verifyP256(point: Uint8Array, data: Uint8Array, signature: Uint8Array): boolean {
  const compressed = p256Convert(point, 'compressed');
  const key = compressed && p256VerifyKey(compressed);
  return key !== undefined && signature.length === 64 && verify('sha256', data, { key, dsaEncoding: 'ieee-p1363' }, signature);
}

/** The x coordinate of the shared point (ECDH), 32 bytes, which the caller wipes. `point`: on the curve. */
export function p256SharedX(privateKey: Uint8Array, point: Uint8Array): Buffer {
  const pair = createECDH(OPENSSL_NAME);
  pair.setPrivateKey(privateKey);
  return pair.computeSecret(point) as unknown as Buffer;
}

export function isP256PrivateKey(key: Uint8Array): boolean {
  return p256.utils.isValidSecretKey(key);
}
