import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { p256 } from '@noble/curves/nist.js';
import { fromHex } from '../base/bytes.ts';
import { isEd25519Point } from './curves.ts';
import { parseSignatureDer, signatureDer } from './der.ts';
import { SECP256K1_N, secp256k1 } from './secp256k1.ts';

/** Schemes of `X-Stamp` (formats §1.1). */
export type StampScheme =
  | 'SIGNATURE_SCHEME_TK_API_P256'
  | 'SIGNATURE_SCHEME_TK_API_SECP256K1'
  | 'SIGNATURE_SCHEME_TK_API_ED25519'
  | 'SIGNATURE_SCHEME_TK_API_SECP256K1_EIP191';

export type ApiKeyCurve = 'API_KEY_CURVE_P256' | 'API_KEY_CURVE_SECP256K1' | 'API_KEY_CURVE_ED25519';

/** A parsed public key that verifies stamps of one scheme. */
export type StampKey =
  | { scheme: 'SIGNATURE_SCHEME_TK_API_P256' | 'SIGNATURE_SCHEME_TK_API_ED25519'; key: KeyObject }
  | { scheme: 'SIGNATURE_SCHEME_TK_API_SECP256K1' | 'SIGNATURE_SCHEME_TK_API_SECP256K1_EIP191'; key: Buffer };

function keyObject(jwk: Record<string, string>): KeyObject {
  return createPublicKey({ format: 'jwk', key: jwk });
}

/** Undefined if the bytes are no public key of the scheme. `publicKey`: 33 bytes compressed, or 32 bytes of Ed25519. */
export function importStampKey(scheme: StampScheme, publicKey: Buffer): StampKey | undefined {
  try {
    switch (scheme) {
      case 'SIGNATURE_SCHEME_TK_API_P256': {
        const point = Buffer.from(p256.Point.fromBytes(publicKey).toBytes(false));
        const part = (from: number) => point.subarray(from, from + 32).toString('base64url');
        return { scheme, key: keyObject({ kty: 'EC', crv: 'P-256', x: part(1), y: part(33) }) };
      }
      case 'SIGNATURE_SCHEME_TK_API_ED25519':
        if (!isEd25519Point(publicKey)) return undefined;
        return { scheme, key: keyObject({ kty: 'OKP', crv: 'Ed25519', x: publicKey.toString('base64url') }) };
      default:
        return { scheme, key: Buffer.from(secp256k1.publicKeyConvert(publicKey, true)) };
    }
  } catch {
    return undefined;
  }
}

/**
 * The form under which a public key is stored: lower-case hex, compressed; 32 bytes on Ed25519. Takes compressed and
 * uncompressed points. Undefined if the text is no public key of the curve.
 */
export function parseStampPublicKey(curve: ApiKeyCurve, text: string): string | undefined {
  const bytes = text.length <= 130 ? fromHex(text) : undefined;
  if (bytes === undefined) return undefined;
  if (curve === 'API_KEY_CURVE_ED25519') return isEd25519Point(bytes) ? bytes.toString('hex') : undefined;
  if (bytes.length !== 33 && bytes.length !== 65) return undefined;
  try {
    const compressed = curve === 'API_KEY_CURVE_P256' ? p256.Point.fromBytes(bytes).toBytes(true) : secp256k1.publicKeyConvert(bytes, true);
    return Buffer.from(compressed).toString('hex');
  } catch {
    return undefined;
  }
}

/** ERC-191 version 0x45 ("personal_sign") over the body. */
function eip191Digest(body: Buffer): Uint8Array {
  return keccak_256(Buffer.concat([Buffer.from(`\x19Ethereum Signed Message:\n${body.length}`), body]));
}

/** libsecp256k1 verifies low S only, and genuine stamps carry high S: (r, n − s) is the same signature. */
function lowS(s: Buffer): Buffer {
  const value = BigInt(`0x${s.toString('hex')}`);
  return value > SECP256K1_N / 2n && value < SECP256K1_N ? Buffer.from((SECP256K1_N - value).toString(16).padStart(64, '0'), 'hex') : s;
}

function verifySecp256k1(key: Buffer, digest: Uint8Array, der: Buffer): boolean {
  const rs = parseSignatureDer(der);
  if (rs === undefined) return false;
  try {
    return secp256k1.verify(Buffer.concat([rs.r, lowS(rs.s)]), digest, key);
  } catch {
    return false;
  }
}

/** The signature as OpenSSL takes it, or undefined: P-256 stamps may have non-minimal integers. */
function openSslForm(key: StampKey, signature: Buffer): Buffer | undefined {
  if (key.scheme === 'SIGNATURE_SCHEME_TK_API_ED25519') return signature.length === 64 ? signature : undefined;
  const rs = parseSignatureDer(signature);
  return rs && signatureDer(rs);
}

const hashName = (key: StampKey): string | null => (key.scheme === 'SIGNATURE_SCHEME_TK_API_P256' ? 'sha256' : null);

/** Verifies a stamp over the raw body. Accepts high S and non-minimal integers (formats §11, traps 10 and 11). Never throws. */
export function verifyStamp(key: StampKey, body: Buffer, signature: Buffer): boolean {
  if (key.scheme === 'SIGNATURE_SCHEME_TK_API_SECP256K1') return verifySecp256k1(key.key, createHash('sha256').update(body).digest(), signature);
  if (key.scheme === 'SIGNATURE_SCHEME_TK_API_SECP256K1_EIP191') return verifySecp256k1(key.key, eip191Digest(body), signature);
  const form = openSslForm(key, signature);
  try {
    return form !== undefined && verify(hashName(key), body, key.key, form);
  } catch {
    return false;
  }
}

/** The same on the thread pool, for the schemes that OpenSSL verifies. */
export function verifyStampAsync(key: StampKey, body: Buffer, signature: Buffer): Promise<boolean> {
  if (key.key instanceof Uint8Array) return Promise.resolve(verifyStamp(key, body, signature));
  const form = openSslForm(key, signature);
  if (form === undefined) return Promise.resolve(false);
  return new Promise((resolve) => verify(hashName(key), body, key.key as KeyObject, form, (error, valid) => resolve(!error && valid)));
}
