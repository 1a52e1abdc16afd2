import { createCipheriv, createDecipheriv, createECDH, createHmac, type ECDH, hkdfSync } from 'node:crypto';
import { zero } from '../base/bytes.ts';
import type { Random } from '../base/random.ts';
import { type Kdf, kemSecret, schedule, TAG, WIRE_INFO, wireAad } from '../bundles/hpke-schedule.ts';
import { asBuffer } from './buffers.ts';
import { generatePrivateKey } from './curves.ts';
import { isP256PrivateKey, p256Convert } from './p256.ts';
import { bytesOfKey } from './plain-key.ts';

const EMPTY = Buffer.alloc(0);

/** A message cannot be opened, or sealed to the given key. Gives no reason: senders must not learn it. */
export class HpkeError extends Error {
  override readonly name = 'HpkeError';
}

/** The info and additional data of a ciphertext. `enc` and `recipient` are 65 bytes, uncompressed. */
export type HpkeBinding = {
  info: Uint8Array;
  aad(enc: Buffer, recipient: Buffer): Uint8Array;
};

/** The clients' binding: info `turnkey_hpke`, and both public keys as additional data. */
export const WIRE_BINDING: HpkeBinding = {
  info: WIRE_INFO,
  aad: wireAad,
};

/** `enc` is the encapsulated key: 65 bytes, uncompressed. The ciphertext ends with the 16-byte tag. */
export type HpkeMessage = { enc: Buffer; ciphertext: Buffer };

/** HKDF with SHA-256 (RFC 5869), extract and expand. `info` is at most 1024 bytes. The caller wipes the result. */
export function hkdf(ikm: Uint8Array, salt: Uint8Array, info: Uint8Array, length: number): Buffer {
  return Buffer.from(hkdfSync('sha256', ikm, salt, info, length));
}

/** OpenSSL's. */
const kdf: Kdf = { extract: (ikm) => createHmac('sha256', EMPTY).update(ikm).digest(), derive: hkdf };

function pairOf(privateKey: Uint8Array): ECDH {
  if (!isP256PrivateKey(privateKey)) throw new RangeError('not a private key of P-256');
  const pair = createECDH('prime256v1');
  pair.setPrivateKey(privateKey);
  return pair;
}

const publicKeyOf = (pair: ECDH) => pair.getPublicKey(null, 'uncompressed') as unknown as Buffer;

/** `point`: on the curve, as p256Convert has checked. */
const agreed = (own: ECDH, point: Buffer, enc: Buffer, recipient: Buffer): Buffer =>
  asBuffer(kemSecret(kdf, own.computeSecret(point) as unknown as Buffer, enc, recipient));

/** `enc` and `recipient` are both public keys, 65 bytes, uncompressed. The caller wipes the shared secret. */
export type KemResult = { sharedSecret: Buffer; enc: Buffer; recipient: Buffer };

/**
 * Encap (§4.1) with the given ephemeral key: 32 bytes, used once, wiped by the caller. Undefined if the recipient's
 * public key (33 or 65 bytes) is not a point of the curve.
 */
export function encapsulate(recipientPublicKey: Uint8Array, ephemeralKey: Uint8Array): KemResult | undefined {
  const recipient = p256Convert(recipientPublicKey, 'uncompressed');
  if (recipient === undefined) return undefined;
  const own = pairOf(ephemeralKey);
  const enc = publicKeyOf(own);
  return { sharedSecret: agreed(own, recipient, enc, recipient), enc, recipient };
}

/**
 * Decap (§4.1). Undefined if `encapsulated` (33 or 65 bytes) is not a point of the curve. Throws RangeError if the private
 * key is invalid.
 */
export function decapsulate(privateKey: Uint8Array, encapsulated: Uint8Array): KemResult | undefined {
  const own = pairOf(privateKey);
  const enc = p256Convert(encapsulated, 'uncompressed');
  if (enc === undefined) return undefined;
  const recipient = publicKeyOf(own);
  return { sharedSecret: agreed(own, enc, enc, recipient), enc, recipient };
}

/** AES-256-GCM with a 12-byte nonce: ciphertext ‖ 16-byte tag. */
export function sealAesGcm(key: Uint8Array, nonce: Uint8Array, aad: Uint8Array, plaintext: Uint8Array): Buffer {
  const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG });
  cipher.setAAD(aad);
  return Buffer.concat([cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]);
}

/** The plaintext, which the caller wipes. Undefined if the tag is wrong. */
export function openAesGcm(key: Uint8Array, nonce: Uint8Array, aad: Uint8Array, ciphertext: Uint8Array): Buffer | undefined {
  if (ciphertext.length < TAG) return undefined;
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG });
  decipher.setAAD(aad);
  decipher.setAuthTag(ciphertext.subarray(ciphertext.length - TAG));
  const plaintext = decipher.update(ciphertext.subarray(0, ciphertext.length - TAG));
  try {
    decipher.final();
    return plaintext;
  } catch {
    zero(plaintext);
    return undefined;
  }
}

/**
 * SealBase (§6.1). `recipientPublicKey`: 33 or 65 bytes. The ephemeral key comes from `random`. Throws HpkeError if the
 * recipient's key is not a point of P-256.
 */
export function hpkeSeal(
  recipientPublicKey: Uint8Array,
  plaintext: Uint8Array,
  random: Random,
  binding: HpkeBinding = WIRE_BINDING,
): HpkeMessage {
  const ephemeralKey = bytesOfKey(generatePrivateKey('CURVE_P256', random));
  const kem = encapsulate(recipientPublicKey, ephemeralKey);
  zero(ephemeralKey);
  if (kem === undefined) throw new HpkeError('the recipient has no P-256 public key');
  const { key, nonce } = schedule(kdf, kem.sharedSecret, binding.info);
  const ciphertext = sealAesGcm(key, nonce, binding.aad(kem.enc, kem.recipient), plaintext);
  zero(key);
  zero(nonce);
  return { enc: kem.enc, ciphertext };
}

/**
 * OpenBase (§6.1): the plaintext, which the caller wipes. `enc`: 33 or 65 bytes. Throws HpkeError for anything not
 * sealed to this key with this binding, and RangeError if the private key is invalid.
 */
export function hpkeOpen(
  privateKey: Uint8Array,
  enc: Uint8Array,
  ciphertext: Uint8Array,
  binding: HpkeBinding = WIRE_BINDING,
): Buffer {
  const kem = decapsulate(privateKey, enc);
  if (kem === undefined) throw new HpkeError('the message cannot be opened');
  const { key, nonce } = schedule(kdf, kem.sharedSecret, binding.info);
  const plaintext = openAesGcm(key, nonce, binding.aad(kem.enc, kem.recipient), ciphertext);
  zero(key);
  zero(nonce);
  if (plaintext === undefined) throw new HpkeError('the message cannot be opened');
  return plaintext;
}

/** A fresh key pair: a 32-byte private key that the caller wipes, and a 65-byte public key, uncompressed. */
export function generateHpkeKeyPair(random: Random): { privateKey: Buffer; publicKey: Buffer } {
  const privateKey = bytesOfKey(generatePrivateKey('CURVE_P256', random));
  return { privateKey, publicKey: publicKeyOf(pairOf(privateKey)) };
}
