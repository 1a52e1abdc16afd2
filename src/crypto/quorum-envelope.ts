import { createHmac } from 'node:crypto';
import { fromHex, zero } from '../base/bytes.ts';
import type { Random } from '../base/random.ts';
import { BundleError } from './bundle.ts';
import { generatePrivateKey } from './curves.ts';
import { openAesGcm, sealAesGcm } from './hpke.ts';
import { p256Convert, p256PublicKey, p256SharedX } from './p256.ts';
import { bytesOfKey, type KeyBytes } from './plain-key.ts';

/**
 * The envelope to which clients seal a secret of an identity provider, as hex. Shares of quorum keys are sealed alike, as bytes:
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
export function openQuorumEnvelope(text: string, privateKey: KeyBytes, publicKey: Uint8Array): Buffer {
  const given = text.length <= LONGEST_ENVELOPE ? fromHex(text) : undefined;
  if (given === undefined) throw new BundleError(`is not hex of at most ${LONGEST_ENVELOPE / 2} bytes`);
  return openQuorumBytes(Buffer.from(given), privateKey, publicKey);
}

/** The same of an envelope as bytes. */
export function openQuorumBytes(bytes: Buffer, privateKey: KeyBytes, publicKey: Uint8Array): Buffer {
  if (!isQuorumEnvelope(bytes)) throw new BundleError('is not an envelope: nonce, public key, length and ciphertext');
  const sender = bytes.subarray(NONCE, NONCE + POINT);
  const receiver = p256Convert(publicKey, 'uncompressed');
  if (receiver === undefined) throw new Error('the key of the service is not a P-256 public key');
  if (p256Convert(sender, 'compressed') === undefined) throw new BundleError('has no P-256 public key');
  const plain = withKey(bytesOfKey(privateKey), sender, { sender, receiver }, (key, aad) =>
    openAesGcm(key, bytes.subarray(0, NONCE), aad, bytes.subarray(HEADER)),
  );
  if (plain === undefined) throw new BundleError('cannot be decrypted: it is not sealed to the key of this service');
  return plain;
}

/** Seals up to 4096 bytes. `publicKey`: a point of P-256, 33 or 65 bytes. Throws BundleError if it is none. */
export function sealQuorumEnvelope(publicKey: Uint8Array, plain: Uint8Array, random: Random): Buffer {
  const receiver = p256Convert(publicKey, 'uncompressed');
  if (receiver === undefined) throw new BundleError('is not a P-256 public key');
  if (plain.length > LONGEST) throw new RangeError(`an envelope has at most ${LONGEST} bytes`);
  const own = bytesOfKey(generatePrivateKey('CURVE_P256', random));
  const sender = p256Convert(p256PublicKey(own), 'uncompressed')!;
  const nonce = random(NONCE);
  const sealed = withKey(own, receiver, { sender, receiver }, (key, aad) => sealAesGcm(key, nonce, aad, plain));
  zero(own);
  const length = Buffer.alloc(LENGTH);
  length.writeUInt32LE(sealed.length);
  return Buffer.concat([nonce, sender, length, sealed]);
}

/** Whether the bytes have the form of an envelope. */
export const isQuorumEnvelope = (bytes: Buffer): boolean =>
  bytes.length >= HEADER + TAG &&
  bytes.length <= HEADER + LONGEST + TAG &&
  bytes.readUInt32LE(NONCE + POINT) === bytes.length - HEADER;

type Points = { sender: Buffer; receiver: Buffer };

/** Calls `use` with the key of the cipher and the additional data. `own`: the private key of one side, `other`: the point of the other. */
function withKey<T>(own: Uint8Array, other: Buffer, { sender, receiver }: Points, use: (key: Buffer, aad: Buffer) => T): T {
  const shared = p256SharedX(own, other);
  const mac = Buffer.concat([sender, receiver, shared]);
  const half = createHmac('sha512', mac).update(MESSAGE).digest();
  try {
    return use(half.subarray(0, 32), Buffer.concat([sender, MARK, receiver, MARK]));
  } finally {
    for (const secret of [shared, mac, half]) zero(secret);
  }
}
