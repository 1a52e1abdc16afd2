import { concat, littleEndian, viewOf } from '../../base/bytes.ts';
import { invalidTransaction } from '../shared/transaction.ts';

/** Reads Bitcoin's serialization from the front. Every method throws INVALID_TRANSACTION if the bytes end too early. */
export type ByteReader = {
  take(length: number): Uint8Array;
  skip(length: number): void;
  /** Little-endian, as all numbers here. */
  uint32(): number;
  uint64(): bigint;
  /** A CompactSize in its shortest form; beyond 2^53 the number is not exact. */
  compactSize(): number;
  /** Bytes preceded by their length as a CompactSize. */
  sized(): Uint8Array;
  skipSized(): void;
  /** A CompactSize that counts items of at least `smallest` bytes. Throws immediately if the bytes left cannot hold them. */
  count(smallest: number): number;
  /** The offset of the next byte. */
  at(): number;
  /** Throws if bytes are left. */
  end(): void;
};

/** `what`: the name of the bytes in errors. Returned arrays share their memory. */
export function reader(bytes: Uint8Array, what: string): ByteReader {
  let at = 0;
  const view = viewOf(bytes);

  /** Returns the offset of the skipped bytes. */
  function skip(length: number): number {
    if (length > bytes.length - at) throw invalidTransaction(`${what} ends too early`);
    at += length;
    return at - length;
  }

  const take = (length: number): Uint8Array => bytes.subarray(skip(length), at);

  function compactSize(): number {
    const first = bytes[skip(1)]!;
    if (first < 0xfd) return first;
    const width = 2 ** (first - 0xfc);
    const start = skip(width);
    const value = width === 8 ? Number(view.getBigUint64(start, true)) : littleEndian(bytes, start, width);
    if (value < (width === 2 ? 0xfd : 2 ** (width * 4)))
      throw invalidTransaction(`${what} has a size that is not written in the shortest form`);
    return value;
  }

  return {
    take,
    skip,
    compactSize,
    uint32: () => view.getUint32(skip(4), true),
    uint64: () => view.getBigUint64(skip(8), true),
    sized: () => take(compactSize()),
    skipSized: () => void skip(compactSize()),
    count(smallest) {
      const count = compactSize();
      if (count > (bytes.length - at) / smallest) throw invalidTransaction(`${what} ends too early`);
      return count;
    },
    at: () => at,
    end() {
      if (at !== bytes.length) throw invalidTransaction(`${what} has bytes after its end`);
    },
  };
}

/** The shortest CompactSize of a length. */
export function compactSize(length: number): Uint8Array {
  if (length < 0xfd) return Uint8Array.of(length);
  const bytes = new Uint8Array(length <= 0xffff ? 3 : 5);
  bytes[0] = length <= 0xffff ? 0xfd : 0xfe;
  for (let at = 1; at < bytes.length; at++) bytes[at] = length >>> (8 * (at - 1));
  return bytes;
}

/** The bytes, preceded by their length. */
export function sized(bytes: Uint8Array): Uint8Array {
  return concat([compactSize(bytes.length), bytes]);
}
