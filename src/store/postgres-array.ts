/** The binary form of PostgreSQL values: the OID of each type, and how to write the bytes of a value. */
type Element = { oid: number; length(value: never): number; write(value: never, to: Buffer, at: number): void };

const HIGH = 2 ** 32;

const ELEMENTS: Readonly<Record<string, Element>> = {
  bytea: {
    oid: 17,
    length: (value: Buffer) => value.length,
    write: (value: Buffer, to, at) => void value.copy(to, at),
  },
  bigint: {
    oid: 20,
    length: () => 8,
    write(value: number, to, at) {
      to.writeInt32BE(Math.floor(value / HIGH), at);
      to.writeUInt32BE(value >>> 0, at + 4);
    },
  },
  smallint: { oid: 21, length: () => 2, write: (value: number, to, at) => void to.writeInt16BE(value, at) },
  text: {
    oid: 25,
    length: (value: string) => Buffer.byteLength(value),
    write: (value: string, to, at) => void to.write(value, at),
  },
  uuid: {
    oid: 2950,
    length: () => 16,
    write: (value: string, to, at) => void to.write(value.replaceAll('-', ''), at, 'hex'),
  },
};

const HEAD = 20;

/**
 * Writes an array of one dimension in the binary form (`array_send` of PostgreSQL), which needs neither quotes nor hex. The driver
 * sends buffers as they are.
 */
export function arrayWriter(type: string): (values: readonly unknown[]) => Buffer {
  const element = ELEMENTS[type];
  if (element === undefined) throw new Error(`src/store/postgres-array.ts cannot write ${type}`);
  const { oid, length, write } = element;
  return (values) => {
    const lengths = values.map((value) => (value === null ? -1 : length(value as never)));
    const total = lengths.reduce((sum, bytes) => sum + 4 + Math.max(bytes, 0), HEAD);
    const to = Buffer.allocUnsafe(total);
    to.writeInt32BE(1, 0);
    to.writeInt32BE(lengths.includes(-1) ? 1 : 0, 4);
    to.writeInt32BE(oid, 8);
    to.writeInt32BE(values.length, 12);
    to.writeInt32BE(1, 16);
    let at = HEAD;
    for (const [i, bytes] of lengths.entries()) {
      at = to.writeInt32BE(bytes, at);
      if (bytes < 0) continue;
      write(values[i] as never, to, at);
      at += bytes;
    }
    return to;
  };
}
