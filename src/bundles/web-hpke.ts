import { p256 } from '@noble/curves/nist.js';
import { extract, hkdf } from '@noble/hashes/hkdf.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { toBase64Url, zero } from '../base/bytes.ts';
import { BundleError } from './bundle-error.ts';
import { type Kdf, kemSecret, type SealedMessage, schedule, WIRE_INFO, wireAad } from './hpke-schedule.ts';

/** A P-256 key that opens messages. No script can read its private half. `publicKey`: 65 bytes. */
export type WebKey = { privateKey: CryptoKey; publicKey: Uint8Array };

const ECDH = { name: 'ECDH', namedCurve: 'P-256' };
const NO_SALT = undefined;

const kdf: Kdf = {
  extract: (ikm) => extract(sha256, ikm, NO_SALT),
  derive: (ikm, salt, info, length) => hkdf(sha256, ikm, salt, info, length),
};

/** WebCrypto takes memory that no other thread shares. */
const own = (bytes: Uint8Array) => new Uint8Array(bytes);

export async function newWebKey(): Promise<WebKey> {
  const { privateKey, publicKey } = await crypto.subtle.generateKey(ECDH, false, ['deriveBits']);
  return { privateKey, publicKey: new Uint8Array(await crypto.subtle.exportKey('raw', publicKey)) };
}

/** 33 bytes. */
export const compressedP256 = (point: Uint8Array): Uint8Array => p256.Point.fromBytes(point).toBytes(true);

/** DER of a signature of WebCrypto, which is r ‖ s. */
export const derOfP256 = (signature: Uint8Array): Uint8Array => p256.Signature.fromBytes(signature, 'compact').toBytes('der');

/** A given P-256 key of 32 bytes, for one use. Scripts cannot read it. Throws BundleError if it is no key. */
export async function importP256(secret: Uint8Array, name: 'ECDH' | 'ECDSA', use: 'deriveBits' | 'sign'): Promise<WebKey> {
  if (!p256.utils.isValidSecretKey(secret)) throw new BundleError('holds no private key of P-256');
  const publicKey = p256.getPublicKey(secret, false);
  const [d, x, y] = [secret, publicKey.subarray(1, 33), publicKey.subarray(33)].map(toBase64Url);
  const jwk = { kty: 'EC', crv: 'P-256', d: d!, x: x!, y: y! };
  return { privateKey: await crypto.subtle.importKey('jwk', jwk, { ...ECDH, name }, false, [use]), publicKey };
}

async function cipherOf(
  privateKey: CryptoKey,
  point: Uint8Array,
  enc: Uint8Array,
  recipient: Uint8Array,
  use: 'encrypt' | 'decrypt',
): Promise<{ key: CryptoKey; algorithm: AesGcmParams }> {
  const peer = await crypto.subtle.importKey('raw', own(point), ECDH, false, []);
  const dh = new Uint8Array(await crypto.subtle.deriveBits({ name: 'ECDH', public: peer }, privateKey, 256));
  const { key, nonce } = schedule(kdf, kemSecret(kdf, dh, enc, recipient), WIRE_INFO);
  const aes = await crypto.subtle.importKey('raw', own(key), 'AES-GCM', false, [use]);
  zero(key);
  return { key: aes, algorithm: { name: 'AES-GCM', iv: own(nonce), additionalData: own(wireAad(enc, recipient)) } };
}

/** Seals to a public key of 65 bytes. Throws BundleError if it is not a point of P-256. */
export async function webSeal(recipient: Uint8Array, plaintext: Uint8Array): Promise<SealedMessage> {
  const { privateKey, publicKey: enc } = await newWebKey();
  try {
    const { key, algorithm } = await cipherOf(privateKey, recipient, enc, recipient, 'encrypt');
    return { enc, ciphertext: new Uint8Array(await crypto.subtle.encrypt(algorithm, key, own(plaintext))) };
  } catch {
    throw new BundleError('has no P-256 public key');
  }
}

/** The plaintext, which the caller wipes. `enc`: 33 or 65 bytes. Throws BundleError for anything that is not sealed to the key. */
export async function webOpen({ privateKey, publicKey }: WebKey, { enc, ciphertext }: SealedMessage): Promise<Uint8Array> {
  try {
    const point = p256.Point.fromBytes(enc).toBytes(false);
    const { key, algorithm } = await cipherOf(privateKey, point, point, publicKey, 'decrypt');
    return new Uint8Array(await crypto.subtle.decrypt(algorithm, key, own(ciphertext)));
  } catch {
    throw new BundleError('cannot be opened: it is not sealed to the key of this page');
  }
}
