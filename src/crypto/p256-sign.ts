import { createECDH } from 'node:crypto';
import { ecdsa } from '@noble/curves/abstract/weierstrass.js';
import { p256 } from '@noble/curves/nist.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { zero } from '../base/bytes.ts';
import { asBuffer } from './buffers.ts';
import { OPENSSL_NAME } from './p256.ts';

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
