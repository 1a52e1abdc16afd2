import { type EngineName, SQL_TYPES } from '../columns.ts';
import { idBytes, idText } from '../compact.ts';
import { type AnyTable, stored } from '../table.ts';

export type Kind = keyof (typeof SQL_TYPES)[EngineName];

/** A table in a copy: its columns in the order of each row's values. */
export type CopiedTable = { readonly name: string; readonly columns: readonly (readonly [name: string, kind: Kind])[] };

/** A row's values in a copy: ids as text, bytes in base64, flags as 0 or 1. */
export type CopiedRow = readonly (string | number | null)[];

/** PostgreSQL has a type of its own for each kind. On SQLite, ids and bytes are both blobs. */
const KINDS = new Map(Object.entries(SQL_TYPES.postgres).map(([kind, type]) => [type, kind as Kind]));

export const copiedTable = (table: AnyTable): CopiedTable => ({
  name: table.name,
  columns: stored(table).map(({ name, column }) => [name, KINDS.get(column.postgres.type as 'text')!] as const),
});

/** How each engine's driver gives a value of a kind. Null and other kinds are the same in a copy. */
export function readerOf(engine: EngineName, { columns }: CopiedTable): (row: readonly unknown[]) => CopiedRow {
  const reads = columns.map(([, kind]) => {
    if (kind === 'bytes') return (value: unknown) => (value as Buffer).toString('base64');
    if (kind === 'id' && engine === 'sqlite') return (value: unknown) => idText(value as Buffer);
    return (value: unknown) => value as string | number;
  });
  return (row) => reads.map((read, i) => (row[i] === null ? null : read(row[i])));
}

function orThrow<T>(value: T | undefined, kind: Kind): T {
  if (value === undefined) throw new Error(`a row of the copy has a value that is no ${kind}`);
  return value;
}

function bytesOf(value: unknown): Buffer | undefined {
  if (typeof value !== 'string') return undefined;
  const bytes = Buffer.from(value, 'base64');
  return bytes.toString('base64') === value ? bytes : undefined;
}

/** How to store a value of a copy. Throws if it is not of its kind. */
const WRITES: Readonly<Record<Kind, (value: unknown, engine: EngineName) => unknown>> = {
  text: (value) => orThrow(typeof value === 'string' ? value : undefined, 'text'),
  int: (value) => orThrow(Number.isSafeInteger(value) ? (value as number) : undefined, 'int'),
  flag: (value) => orThrow(value === 0 || value === 1 ? value : undefined, 'flag'),
  bytes: (value) => orThrow(bytesOf(value), 'bytes'),
  id(value, engine) {
    const bytes = orThrow(typeof value === 'string' ? idBytes(value) : undefined, 'id');
    return engine === 'sqlite' ? bytes : value;
  },
};

export function writerOf(engine: EngineName, { name, columns }: CopiedTable): (row: CopiedRow) => unknown[] {
  const writes = columns.map(([, kind]) => WRITES[kind]);
  return (row) => {
    if (row.length !== writes.length) throw new Error(`a row of ${name} in the copy has another number of values than the table`);
    return writes.map((write, i) => (row[i] === null ? null : write(row[i], engine)));
  };
}
