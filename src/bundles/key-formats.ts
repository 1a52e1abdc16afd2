import { ed25519 } from '@noble/curves/ed25519.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { base58, bech32, createBase58check } from '@scure/base';
import { concat, fromHex, sameBytes, toHex, zero } from '../base/bytes.ts';

/** A text is not a key in a format. The message names no part of the text. */
export class KeyFormatError extends Error {
  override readonly name = 'KeyFormatError';
}

type Format = {
  /** The 32 bytes of the key, which the caller wipes. Throws KeyFormatError. */
  read(text: string): Uint8Array;
  write(key: Uint8Array): string;
};

const KEY = 32;
/** In UTF-16 units: more than the longest text of any format. */
const LONGEST = 256;

function attempt<T>(make: () => T, message: string): T {
  try {
    return make();
  } catch {
    throw new KeyFormatError(message);
  }
}

const hexadecimal: Format = {
  read(text) {
    const key = fromHex(text.replace(/^0x/i, ''));
    if (key?.length !== KEY) throw new KeyFormatError('the key must be 64 hexadecimal digits');
    return key;
  },
  write: (key) => `0x${toHex(key)}`,
};

/** A seed and its public key, as Solana wallets write them. */
const solana: Format = {
  read(text) {
    const both = attempt(() => base58.decode(text), 'the key is not base58');
    try {
      if (both.length !== 2 * KEY) throw new KeyFormatError('the key must be base58 of 64 bytes');
      const seed = both.slice(0, KEY);
      if (sameBytes(ed25519.getPublicKey(seed), both.subarray(KEY))) return seed;
      zero(seed);
      throw new KeyFormatError('the second half of the key is not the public key of the first');
    } finally {
      zero(both);
    }
  },
  write(key) {
    const both = concat([key, ed25519.getPublicKey(key)]);
    const text = base58.encode(both);
    zero(both);
    return text;
  },
};

const base58check = createBase58check(sha256);

/** Wallet Import Format, of a key with a compressed public key. */
const wif = (version: number, network: string): Format => ({
  read(text) {
    const bytes = attempt(() => base58check.decode(text), 'the key is not base58 with a checksum');
    try {
      if (bytes[0] !== version) throw new KeyFormatError(`the key is not of the Bitcoin ${network} network`);
      if (bytes.length !== KEY + 2 || bytes[KEY + 1] !== 1)
        throw new KeyFormatError('the key must be of a compressed public key');
      return bytes.slice(1, KEY + 1);
    } finally {
      zero(bytes);
    }
  },
  write(key) {
    const bytes = concat([Uint8Array.of(version), key, Uint8Array.of(1)]);
    const text = base58check.encode(bytes);
    zero(bytes);
    return text;
  },
});

const SUI = 'suiprivkey';
/** The flag of an Ed25519 key. */
const ED25519 = 0;

const sui: Format = {
  read(text) {
    const { prefix, bytes } = attempt(() => bech32.decodeToBytes(text), 'the key is not bech32');
    try {
      if (prefix !== SUI || bytes.length !== KEY + 1)
        throw new KeyFormatError(`the key must begin with ${SUI}1 and have 33 bytes`);
      if (bytes[0] !== ED25519) throw new KeyFormatError('the key must be of Ed25519');
      return bytes.slice(1);
    } finally {
      zero(bytes);
    }
  },
  write(key) {
    const bytes = concat([Uint8Array.of(ED25519), key]);
    const text = bech32.encodeFromBytes(SUI, bytes);
    zero(bytes);
    return text;
  },
};

const FORMATS = new Map<unknown, Format>([
  ['HEXADECIMAL', hexadecimal],
  ['SOLANA', solana],
  ['BITCOIN_MAINNET_WIF', wif(0x80, 'main')],
  ['BITCOIN_TESTNET_WIF', wif(0xef, 'test')],
  ['SUI_BECH32', sui],
]);

/** Unknown names mean hexadecimal, as in published pages. */
const formatOf = (name: unknown): Format => FORMATS.get(name) ?? hexadecimal;

/** The 32 bytes of the key in a text, which the caller wipes. Throws KeyFormatError. */
export function readKey(text: string, format: unknown): Uint8Array {
  if (text.length > LONGEST) throw new KeyFormatError(`the key must have at most ${LONGEST} characters`);
  return formatOf(format).read(text);
}

/** Throws KeyFormatError unless the key has 32 bytes. */
export function writeKey(key: Uint8Array, format: unknown): string {
  if (key.length !== KEY) throw new KeyFormatError(`the key must have ${KEY} bytes`);
  return formatOf(format).write(key);
}
