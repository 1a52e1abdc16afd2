import { concat, fromHex, hexBytes, toHex, utf8 } from '../../base/bytes.ts';
import { keccak256 } from '../../crypto/hash.ts';
import { HEX_ADDRESS, toChecksumAddress } from './address.ts';
import { type ExactJson, fits, wholeNumber } from './json.ts';

/** A value as signed: hex in lower case, numbers exact. */
export type AtomValue = boolean | bigint | string;

/** A JSON value of an atomic or dynamic type, read by EIP-712: the value, and the 32 bytes of encodeData. */
export type AtomRead = { value: AtomValue; word: Uint8Array };

export type Atom = {
  /** Undefined if the JSON value is not of this type. */
  read(value: ExactJson): AtomRead | undefined;
  /** The expected value, for errors. */
  must: string;
};

const ZEROS = new Uint8Array(32);
/** A number below 2^256. */
const uint256 = (value: bigint): Uint8Array => hexBytes(value.toString(16).padStart(64, '0'));
const padLeft = (bytes: Uint8Array): Uint8Array => concat([ZEROS.subarray(bytes.length), bytes]);
const padRight = (bytes: Uint8Array): Uint8Array => concat([bytes, ZEROS.subarray(bytes.length)]);

function bytesOf(value: ExactJson): Uint8Array | undefined {
  return typeof value === 'string' && value.startsWith('0x') ? fromHex(value.slice(2)) : undefined;
}

const address: Atom = {
  must: 'must be 0x and 40 hex digits, in one case or with a valid checksum',
  read(value) {
    if (typeof value !== 'string' || !HEX_ADDRESS.test(value)) return undefined;
    const lower = value.toLowerCase();
    const oneCase = value === lower || value.slice(2) === value.slice(2).toUpperCase();
    if (!oneCase && value !== toChecksumAddress(value)) return undefined;
    return { value: lower, word: padLeft(hexBytes(lower.slice(2))) };
  },
};

const bool: Atom = {
  must: 'must be true or false',
  read: (value) => (typeof value === 'boolean' ? { value, word: uint256(value ? 1n : 0n) } : undefined),
};

const string: Atom = {
  must: 'must be text',
  read: (value) => (typeof value === 'string' ? { value, word: keccak256(utf8(value)) } : undefined),
};

const bytes: Atom = {
  must: 'must be 0x and an even number of hex digits',
  read(value) {
    const data = bytesOf(value);
    return data && { value: `0x${toHex(data)}`, word: keccak256(data) };
  },
};

function fixedBytes(size: number): Atom {
  return {
    must: `must be 0x and ${size * 2} hex digits`,
    read(value) {
      const data = bytesOf(value);
      return data?.length === size ? { value: `0x${toHex(data)}`, word: padRight(data) } : undefined;
    },
  };
}

function integer(bits: number, signed: boolean): Atom {
  return {
    must: `must be a whole number of ${bits} bits${signed ? '' : ', not negative'}: a JSON number, decimal text or 0x hex`,
    read(value) {
      const number = wholeNumber(value);
      if (number === undefined || !fits(number, bits, signed)) return undefined;
      return { value: number, word: uint256(BigInt.asUintN(256, number)) };
    },
  };
}

/** The atomic and dynamic types by name (EIP-712 "Definition of typed structured data"). `uint` and `int` are not among them. */
export const atoms: ReadonlyMap<string, Atom> = new Map<string, Atom>([
  ['address', address],
  ['bool', bool],
  ['string', string],
  ['bytes', bytes],
  ...Array.from({ length: 32 }, (_, i): [string, Atom] => [`bytes${i + 1}`, fixedBytes(i + 1)]),
  ...Array.from({ length: 32 }, (_, i): [string, Atom] => [`uint${(i + 1) * 8}`, integer((i + 1) * 8, false)]),
  ...Array.from({ length: 32 }, (_, i): [string, Atom] => [`int${(i + 1) * 8}`, integer((i + 1) * 8, true)]),
]);
