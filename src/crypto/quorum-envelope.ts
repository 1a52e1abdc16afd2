import { createHmac } from 'node:crypto';
import { fromHex, zero } from '../base/bytes.ts';
import { BundleError } from './bundle.ts';
import { openAesGcm } from './hpke.ts';
import { p256Convert, p256SharedX } from './p256.ts';

/**
 * The envelope, as hex, to which clients seal a secret of an identity provider:
 * - 12 bytes nonce
 * - 65 bytes ephemeral public key
 * - 4 bytes length of the rest, little-endian
 * - ciphertext
 * - 16 bytes tag
 * The cipher is AES-256-GCM. Its key is half of an HMAC-SHA-512 of a fixed message. The HMAC is keyed with both public keys and the
 * shared point.
 */
const MESSAGE = 'qos_encryption_hmac_message';
const NONCE = 12;
const POINT = 65;
const LENGTH = 4;
const TAG = 16;
const HEADER = NONCE + POINT + LENGTH;

/** The longest plaintext, in bytes. */
const LONGEST = 4096;

/** The length of a point, in one byte, follows each in the additional data. */
const MARK = Buffer.of(POINT);

/** The longest envelope, as hex. */
export const LONGEST_ENVELOPE = 2 * (HEADER + LONGEST + TAG);

/** The plaintext, which the caller wipes. Throws BundleError if the text is no envelope to this key. */
export function openQuorumEnvelope(text: string, privateKey: Uint8Array, publicKey: Uint8Array): Buffer {
  const given = text.length <= LONGEST_ENVELOPE ? fromHex(text) : undefined;
  if (given === undefined) throw new BundleError(`is not hex of at most ${LONGEST_ENVELOPE / 2} bytes`);
  const bytes = Buffer.from(given);
  if (bytes.length < HEADER + TAG || bytes.readUInt32LE(NONCE + POINT) !== bytes.length - HEADER)
    throw new BundleError('is not an envelope: nonce, public key, length and ciphertext');
  const sender = bytes.subarray(NONCE, NONCE + POINT);
  const receiver = p256Convert(publicKey, 'uncompressed');
  if (receiver === undefined) throw new Error('the key of the service is not a P-256 public key');
  const shared = p256Convert(sender, 'compressed') && p256SharedX(privateKey, sender);
  if (shared === undefined) throw new BundleError('has no P-256 public key');
  const half = createHmac('sha512', Buffer.concat([sender, receiver, shared]))
    .update(MESSAGE)
    .digest();
  const aad = Buffer.concat([sender, MARK, receiver, MARK]);
  const plain = openAesGcm(half.subarray(0, 32), bytes.subarray(0, NONCE), aad, bytes.subarray(HEADER));
  zero(half);
  zero(shared);
  if (plain === undefined) throw new BundleError('cannot be decrypted: it is not sealed to the key of this service');
  return plain;
}
