import { concat, hexBytes, toHex } from '../../base/bytes.ts';
import { invalidTransaction } from '../shared/transaction.ts';

/** A decoded item: `0x` and lower-case hex, or a list of items. */
export type Rlp = `0x${string}` | readonly Rlp[];

const DEEPEST = 32;
const LONG = 55;
const NOT_RLP = 'it is not RLP, or bytes follow it';
const NOT_CANONICAL = 'its RLP is not canonical: lengths must be written in the shortest form';

class Decoder {
  readonly #bytes: Uint8Array;
  at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  #take(length: number, end: number): Uint8Array {
    if (length > end - this.at) throw invalidTransaction(NOT_RLP);
    this.at += length;
    return this.#bytes.subarray(this.at - length, this.at);
  }

  /** `short`: the first byte minus that of an empty item. */
  #length(short: number, end: number): number {
    if (short <= LONG) return short;
    const bytes = this.#take(short - LONG, end);
    if (bytes[0] === 0) throw invalidTransaction(NOT_CANONICAL);
    // Longer than any request body.
    if (bytes.length > 4) throw invalidTransaction(NOT_RLP);
    const length = Number(`0x${toHex(bytes)}`);
    if (length <= LONG) throw invalidTransaction(NOT_CANONICAL);
    return length;
  }

  item(end: number, depth: number): Rlp {
    if (depth > DEEPEST) throw invalidTransaction(NOT_RLP);
    const first = this.#take(1, end)[0]!;
    if (first < 0x80) return `0x${first.toString(16).padStart(2, '0')}`;
    if (first < 0xc0) {
      const bytes = this.#take(this.#length(first - 0x80, end), end);
      if (bytes.length === 1 && bytes[0]! < 0x80) throw invalidTransaction(NOT_CANONICAL);
      return `0x${toHex(bytes)}`;
    }
    const length = this.#length(first - 0xc0, end);
    if (length > end - this.at) throw invalidTransaction(NOT_RLP);
    const items: Rlp[] = [];
    for (const last = this.at + length; this.at < last; ) items.push(this.item(last, depth + 1));
    return items;
  }
}

/** Decodes exactly one list in canonical RLP (Yellow Paper, appendix B). Throws INVALID_TRANSACTION. */
export function readRlpList(bytes: Uint8Array): readonly Rlp[] {
  const decoder = new Decoder(bytes);
  const item = decoder.item(bytes.length, 0);
  if (decoder.at !== bytes.length) throw invalidTransaction(NOT_RLP);
  if (typeof item === 'string') throw invalidTransaction('its RLP must be a list');
  return item;
}

/** `first`: the first byte of an empty item. */
function prefix(length: number, first: number): Uint8Array {
  if (length <= LONG) return Uint8Array.of(first + length);
  const bytes = hexBytes(rlpOfNumber(BigInt(length)).slice(2));
  return concat([Uint8Array.of(first + LONG + bytes.length), bytes]);
}

export function writeRlp(item: Rlp): Uint8Array {
  if (typeof item === 'string') {
    const bytes = hexBytes(item.slice(2));
    return bytes.length === 1 && bytes[0]! < 0x80 ? bytes : concat([prefix(bytes.length, 0x80), bytes]);
  }
  const items = item.map(writeRlp);
  return concat([
    prefix(
      items.reduce((sum, { length }) => sum + length, 0),
      0xc0,
    ),
    ...items,
  ]);
}

/** A list of exactly `length` items. `what` names it for the error. */
export function rlpList(item: Rlp | undefined, what: string, length?: number): readonly Rlp[] {
  if (item === undefined || typeof item === 'string') throw invalidTransaction(`${what} must be a list`);
  if (length !== undefined && item.length !== length)
    throw invalidTransaction(`${what} must have ${length} items, not ${item.length}`);
  return item;
}

/** Bytes as `0x` and hex; of exactly `size` bytes if it is given. */
export function rlpBytes(item: Rlp | undefined, what: string, size?: number): `0x${string}` {
  if (typeof item !== 'string') throw invalidTransaction(`${what} must be bytes`);
  if (size !== undefined && item.length !== 2 + 2 * size) throw invalidTransaction(`${what} must have ${size} bytes`);
  return item;
}

/** A number below 2^`bits`, without leading zeros. */
export function rlpNumber(item: Rlp | undefined, what: string, bits = 256): bigint {
  const hex = rlpBytes(item, what);
  if (hex.startsWith('0x00')) throw invalidTransaction(`${what} must not have leading zeros`);
  if (hex.length > 2 + bits / 4) throw invalidTransaction(`${what} must be below 2^${bits}`);
  return hex === '0x' ? 0n : BigInt(hex);
}

/** The shortest big-endian bytes: none for zero. */
export function rlpOfNumber(value: bigint): `0x${string}` {
  if (value === 0n) return '0x';
  const digits = value.toString(16);
  return `0x${digits.length % 2 === 0 ? '' : '0'}${digits}`;
}
