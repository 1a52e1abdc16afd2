import { fromRlp, toRlp } from 'viem/utils';
import { invalidTransaction } from '../transaction.ts';

/** A decoded item: `0x` and lower-case hex, or a list of items. */
export type Rlp = `0x${string}` | readonly Rlp[];

/** The one list that the bytes are in canonical RLP (Yellow Paper, appendix B). Throws INVALID_TRANSACTION. */
export function readRlpList(bytes: Buffer): readonly Rlp[] {
  let item: Rlp;
  try {
    item = fromRlp(bytes, 'hex') as Rlp;
  } catch {
    // The library quotes what it read; which rule was broken is not worth that.
    throw invalidTransaction('it is not RLP, or bytes follow it');
  }
  if (typeof item === 'string') throw invalidTransaction('its RLP must be a list');
  if (!writeRlp(item).equals(bytes))
    throw invalidTransaction('its RLP is not canonical: lengths must be written in the shortest form');
  return item;
}

export function writeRlp(item: Rlp): Buffer {
  return Buffer.from(toRlp(item as Parameters<typeof toRlp>[0], 'bytes') as Uint8Array);
}

/** A list of exactly that many items. `what` names it for the error. */
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
