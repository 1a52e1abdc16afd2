import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  type Hmac,
  type KeyObject,
  timingSafeEqual,
} from 'node:crypto';
import { Lru } from '../base/lru.ts';
import type { Random } from '../base/random.ts';
import { asPlainKey, bytesOfKey, type KeyBytes, type PlainKey } from '../crypto/plain-key.ts';
import type { MasterKeyState } from '../store/types.ts';
import { EnvelopeError, type SecretName } from './types.ts';

/**
 * Format 1 of a sealed secret, in this order:
 * - byte 0: 1
 * - bytes 1–4: master key version, big-endian
 * - 12 bytes: nonce
 * - ciphertext
 * - 16 bytes: tag
 * The cipher is AES-256-GCM. Its key is the HKDF-Expand (RFC 5869 §2.3, SHA-256, one block) of the master key. The master key is
 * uniformly random and so needs no extract step. Info and additional data contain the secret's name, each part with its length. A
 * published format never changes: the next one gets the next number.
 */
const FORMAT = 1;

/**
 * Format 2 of a keyed hash, in this order:
 * - byte 0: 2
 * - bytes 1–4: master key version, big-endian
 * - 32 bytes: HMAC-SHA-256 of the secret's name and the secret
 * All hashes use one key of the instance. So hashes of many names do not evict the keys of signers from memory.
 */
const HASH_FORMAT = 2;
const HASHING: SecretName = { organizationId: 'service', id: 'keyed-hash', purpose: 'keyed-hash' };
const HEADER = 5;
const NONCE = 12;
const TAG = 16;

/** Number of derived keys kept as KeyObjects. Each opens one secret and contains none. */
const KEPT = 8192;

/** The key of one secret, and the additional data: the format and version as a header, then the secret's name. */
type Derived = { key: KeyObject; aad: Buffer };

export type Envelope = {
  seal(name: SecretName, secret: KeyBytes): Buffer;
  /** Returns the plaintext in a fresh buffer that the caller wipes. Throws EnvelopeError. */
  open(name: SecretName, sealed: Uint8Array): PlainKey;
  hash(name: SecretName, secret: Uint8Array): Buffer;
  /** The bytes of the key of keyed hashes, under the newest master key. The caller wipes them. */
  hashKey(): PlainKey;
  /** Takes the same time with or without a hash, and for any secret of the same length. */
  matches(name: SecretName, hash: Uint8Array | undefined, secret: Uint8Array): boolean;
};

function headerOf(version: number, format = FORMAT): Buffer {
  const header = Buffer.alloc(HEADER);
  header.writeUInt8(format, 0);
  header.writeUInt32BE(version, 1);
  return header;
}

function info(name: SecretName): Buffer {
  const parts: Buffer[] = [Buffer.from('countersign/envelope/1')];
  for (const text of [name.organizationId, name.id, name.purpose]) {
    const bytes = Buffer.from(text);
    const length = Buffer.alloc(2);
    length.writeUInt16BE(bytes.length);
    parts.push(length, bytes);
  }
  return Buffer.concat(parts);
}

/** A keyed hash in format 2. */
export const hashed = (version: number, name: SecretName, hmac: Hmac, secret: Uint8Array): Buffer =>
  Buffer.concat([headerOf(version, HASH_FORMAT), hmac.update(info(name)).update(secret).digest()]);

const OPENS: ReadonlySet<MasterKeyState> = new Set(['coming', 'live', 'closing', 'emptied']);

/** `masters`: version → key. A version without a state is live. Both maps may change. */
export function envelope(
  masters: ReadonlyMap<number, KeyObject>,
  random: Random,
  states: ReadonlyMap<number, MasterKeyState> = new Map(),
): Envelope {
  const stateOf = (version: number): MasterKeyState => states.get(version) ?? 'live';
  /** The newest live version. */
  const newest = () => Math.max(...[...masters.keys()].filter((version) => stateOf(version) === 'live'));
  const derived = new Lru<Derived>(KEPT);

  function keyFor(name: SecretName, version: number): Derived {
    const { organizationId, id, purpose } = name;
    const master = masters.get(version);
    if (master === undefined)
      throw new EnvelopeError(`the secret is sealed under master key version ${version}, which this process does not have`);
    const cacheKey = `${version}/${organizationId.length}/${id.length}/${organizationId}${id}${purpose}`;
    const known = derived.get(cacheKey);
    if (known !== undefined) return known;
    const context = info(name);
    const block = createHmac('sha256', master).update(context).update(Buffer.of(1)).digest();
    const made = { key: createSecretKey(block), aad: Buffer.concat([headerOf(version), context]) };
    block.fill(0);
    derived.set(cacheKey, made);
    return made;
  }

  function hashOf(name: SecretName, secret: Uint8Array, version: number): Buffer {
    const { key } = keyFor(HASHING, version);
    return hashed(version, name, createHmac('sha256', key), secret);
  }

  return {
    hash: (name, secret) => hashOf(name, secret, newest()),
    hashKey: () => asPlainKey(keyFor(HASHING, newest()).key.export()),
    matches(name, hash, secret) {
      const kept = Buffer.from(hash ?? []);
      const known = kept.length === HEADER + 32 && kept[0] === HASH_FORMAT && masters.has(kept.readUInt32BE(1));
      const given = hashOf(name, secret, known ? kept.readUInt32BE(1) : newest());
      return timingSafeEqual(given, known ? kept : Buffer.alloc(given.length)) && known;
    },
    seal(name, secret) {
      const version = newest();
      const { key, aad } = keyFor(name, version);
      const nonce = random(NONCE);
      const cipher = createCipheriv('aes-256-gcm', key, nonce);
      cipher.setAAD(aad);
      const body = Buffer.concat([cipher.update(bytesOfKey(secret)), cipher.final()]);
      return Buffer.concat([headerOf(version), nonce, body, cipher.getAuthTag()]);
    },
    open(name, sealed) {
      const bytes = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength);
      if (bytes.length < HEADER + NONCE + TAG || bytes[0] !== FORMAT)
        throw new EnvelopeError('not a sealed secret of a known format');
      const version = bytes.readUInt32BE(1);
      if (masters.has(version) && !OPENS.has(stateOf(version)))
        throw new EnvelopeError(`the secret is sealed under master key version ${version}, which is retired`);
      const { key, aad } = keyFor(name, version);
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(HEADER, HEADER + NONCE), { authTagLength: TAG });
      decipher.setAAD(aad);
      decipher.setAuthTag(bytes.subarray(bytes.length - TAG));
      const plain = decipher.update(bytes.subarray(HEADER + NONCE, bytes.length - TAG));
      try {
        decipher.final();
      } catch {
        plain.fill(0);
        throw new EnvelopeError('a sealed secret cannot be opened: it was changed, or moved from another row');
      }
      return asPlainKey(plain);
    },
  };
}
