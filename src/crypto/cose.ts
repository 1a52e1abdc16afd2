import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { sameBytes } from '../base/bytes.ts';
import { parseEcdsaSignature } from './der.ts';
import { p256Convert, p256VerifyKey } from './p256.ts';

/**
 * Public keys of passkeys as COSE keys (RFC 9052 §7, RFC 9053 §7.1.1, RFC 8230 §4). Each has one encoding: CTAP2's canonical order
 * of members. A key in it is read by its offsets, so that no request needs a CBOR reader.
 */

/** 1: 2 (EC2), 3: -7 (ES256), -1: 1 (P-256), -2: 32 bytes. */
const EC2_X = Buffer.from('a5010203262001215820', 'hex');
/** -3: 32 bytes. */
const EC2_Y = Buffer.from('225820', 'hex');
/** 1: 3 (RSA), 3: -257 (RS256), -1: bytes, their length in two bytes. */
const RSA_N = Buffer.from('a40103033901002059', 'hex');
/** -2: bytes, of fewer than 24. */
const RSA_E = 0x21;
const SHORT_BYTES = 0x40;

const COORDINATE = 32;
const MODULUS_BITS = { least: 2048, most: 4096 };
const LONGEST_EXPONENT = 4;

export type PasskeyKey = { readonly algorithm: 'ES256' | 'RS256'; readonly key: KeyObject };

/** Undefined if it is not a point of P-256. */
export function es256CoseKey(x: Uint8Array, y: Uint8Array): Buffer | undefined {
  if (x.length !== COORDINATE || y.length !== COORDINATE) return undefined;
  const encoded = Buffer.concat([EC2_X, x, EC2_Y, y]);
  return importCoseKey(encoded) && encoded;
}

const withoutZeros = (bytes: Uint8Array): Uint8Array =>
  bytes.subarray(
    Math.max(
      0,
      bytes.findIndex((byte) => byte !== 0),
    ),
  );

/** Undefined unless it is a key of 2048 to 4096 bits with a usual exponent. */
export function rs256CoseKey(n: Uint8Array, e: Uint8Array): Buffer | undefined {
  const [modulus, exponent] = [withoutZeros(n), withoutZeros(e)];
  if (modulus.length > MODULUS_BITS.most / 8 || exponent.length > LONGEST_EXPONENT) return undefined;
  const length = Buffer.of(modulus.length >> 8, modulus.length & 0xff);
  const encoded = Buffer.concat([RSA_N, length, modulus, Buffer.of(RSA_E, SHORT_BYTES + exponent.length), exponent]);
  return importCoseKey(encoded) && encoded;
}

function importEs256(cose: Buffer): PasskeyKey | undefined {
  const x = cose.subarray(EC2_X.length, EC2_X.length + COORDINATE);
  const between = EC2_X.length + COORDINATE;
  const y = cose.subarray(between + EC2_Y.length);
  if (y.length !== COORDINATE || !sameBytes(cose.subarray(between, between + EC2_Y.length), EC2_Y)) return undefined;
  const point = p256Convert(Buffer.concat([Buffer.of(0x04), x, y]), 'compressed');
  const key = point && p256VerifyKey(point);
  return key && { algorithm: 'ES256', key };
}

function importRs256(cose: Buffer): PasskeyKey | undefined {
  const start = RSA_N.length + 2;
  if (cose.length < start) return undefined;
  const end = start + cose.readUInt16BE(RSA_N.length);
  const e = cose.subarray(end + 2);
  if (e.length < 1 || e.length > LONGEST_EXPONENT || cose[end] !== RSA_E || cose[end + 1] !== SHORT_BYTES + e.length)
    return undefined;
  const n = cose.subarray(start, end);
  const key = createPublicKey({
    key: { kty: 'RSA', n: n.toString('base64url'), e: e.toString('base64url') },
    format: 'jwk',
  });
  const { modulusLength = 0, publicExponent = 0n } = key.asymmetricKeyDetails ?? {};
  if (modulusLength < MODULUS_BITS.least || modulusLength > MODULUS_BITS.most) return undefined;
  return publicExponent >= 3n && publicExponent % 2n === 1n ? { algorithm: 'RS256', key } : undefined;
}

/** A key object for crypto.verify. Undefined for anything but a key in its one encoding. Never throws. */
export function importCoseKey(cose: Buffer): PasskeyKey | undefined {
  try {
    if (sameBytes(cose.subarray(0, EC2_X.length), EC2_X)) return importEs256(cose);
    if (sameBytes(cose.subarray(0, RSA_N.length), RSA_N)) return importRs256(cose);
    return undefined;
  } catch {
    return undefined;
  }
}

/** ECDSA over SHA-256, the signature in DER; or RSA PKCS#1 v1.5 over SHA-256. Never throws. */
export function verifyByPasskey({ algorithm, key }: PasskeyKey, data: Buffer, signature: Buffer): boolean {
  const encoded = algorithm === 'ES256' ? parseEcdsaSignature(signature)?.der : signature;
  try {
    return encoded !== undefined && verify('sha256', data, key, encoded);
  } catch {
    return false;
  }
}
