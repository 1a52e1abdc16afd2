import { invalidTransaction } from '../shared/transaction.ts';

/** Reads Bitcoin's serialization from the front. Every method throws INVALID_TRANSACTION if the bytes end before it is done. */
export type Reader = {
  take(length: number): Buffer;
  skip(length: number): void;
  /** Least significant byte first, as all numbers here. */
  uint32(): number;
  uint64(): bigint;
  /** A CompactSize in its shortest form; beyond 2^53 the number is not exact. */
  compactSize(): number;
  /** That many bytes, the number of which stands before them as a CompactSize. */
  sized(): Buffer;
  skipSized(): void;
  /** A CompactSize: how many things of at least `smallest` bytes follow. Refused at once if they cannot all be there. */
  count(smallest: number): number;
  /** Where the next byte is. */
  at(): number;
  /** Throws if bytes are left. */
  end(): void;
};

/** `what`: the name of the bytes in errors. What is taken shares their memory. */
export function reader(bytes: Buffer, what: string): Reader {
  let at = 0;

  /** Where the bytes start that are gone over. */
  function skip(length: number): number {
    if (length > bytes.length - at) throw invalidTransaction(`${what} ends too early`);
    at += length;
    return at - length;
  }

  const take = (length: number): Buffer => bytes.subarray(skip(length), at);

  function compactSize(): number {
    const first = bytes[skip(1)]!;
    if (first < 0xfd) return first;
    const width = 2 ** (first - 0xfc);
    const start = skip(width);
    const value = width === 8 ? Number(bytes.readBigUInt64LE(start)) : bytes.readUIntLE(start, width);
    if (value < (width === 2 ? 0xfd : 2 ** (width * 4)))
      throw invalidTransaction(`${what} has a size that is not in its shortest form`);
    return value;
  }

  return {
    take,
    skip,
    compactSize,
    uint32: () => bytes.readUInt32LE(skip(4)),
    uint64: () => bytes.readBigUInt64LE(skip(8)),
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
export function compactSize(length: number): Buffer {
  if (length < 0xfd) return Buffer.of(length);
  const bytes = Buffer.alloc(length <= 0xffff ? 3 : 5);
  bytes[0] = length <= 0xffff ? 0xfd : 0xfe;
  bytes.writeUIntLE(length, 1, bytes.length - 1);
  return bytes;
}

/** The bytes with their length before them. */
export function sized(bytes: Buffer): Buffer {
  return Buffer.concat([compactSize(bytes.length), bytes]);
}
