import { createECDH, sign as opensslSign } from 'node:crypto';
import { ecdsa } from '@noble/curves/abstract/weierstrass.js';
import { p256 } from '@noble/curves/nist.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { zero } from '../base/bytes.ts';
import { asBuffer } from './buffers.ts';
import { parseEcdsaSignature } from './der.ts';
import { importPrivateKey } from './import-key.ts';
import { OPENSSL_NAME } from './p256.ts';
import { bytesOfKey, type KeyBytes } from './plain-key.ts';

const { Point } = p256;
const { x, y } = Point.BASE.toAffine();

/** Multiplication of the base point by OpenSSL: the library's own takes five sixths of a signature's time. */
class OpensslBase extends Point {
  static override readonly BASE = new OpensslBase(x, y, 1n);

  override multiply(scalar: bigint) {
    const bytes = Point.Fn.toBytes(scalar);
    const pair = createECDH(OPENSSL_NAME);
    pair.setPrivateKey(bytes);
    zero(bytes);
    return Point.fromBytes(pair.getPublicKey());
  }
}

const { sign } = ecdsa(OpensslBase, sha256);

/** ECDSA over a digest: RFC 6979 nonce (SHA-256), low S, r ‖ s. Throws if the private key is invalid. */
export function signP256(digest: Uint8Array, privateKey: Uint8Array): { signature: Buffer; recovery: number } {
  if (digest.length !== 32) throw new RangeError('a digest has 32 bytes');
  const signed = asBuffer(sign(digest, privateKey, { prehash: false, lowS: true, format: 'recovered' }));
  return { signature: signed.subarray(1), recovery: signed[0]! };
}

/** PrivateKeyInfo (RFC 5208) of a P-256 key (RFC 5915), up to its 32 bytes. */
const PKCS8 = Buffer.from('308141020100301306072a8648ce3d020106082a8648ce3d030107042730250201010420', 'hex');

/**
 * Signs with a key that OpenSSL keeps: ECDSA over SHA-256 of the data with a random nonce, r ‖ s. It takes a quarter of the time of `signP256`.
 */
export function p256Signer(privateKey: KeyBytes): (data: Uint8Array) => Uint8Array {
  const der = Buffer.concat([PKCS8, bytesOfKey(privateKey)]);
  try {
    const key = importPrivateKey(der);
    return (data) => parseEcdsaSignature(opensslSign('sha256', data, key))!.compact;
  } finally {
    zero(der);
  }
}
