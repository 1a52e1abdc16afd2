import { arrayWriter } from './postgres-array.ts';

export type EngineName = 'sqlite' | 'postgres';

/** How one engine stores a column. Without `write` and `read`, values are stored unchanged. */
type Form = {
  /** The SQL type. */
  readonly type: string;
  // biome-ignore lint/suspicious/noExplicitAny: each form knows its own values
  readonly write?: (value: any) => unknown;
  // biome-ignore lint/suspicious/noExplicitAny: each form knows its own values
  readonly read?: (stored: any) => unknown;
};

declare const value: unique symbol;

/** A column of any values. */
export type AnyColumn = { readonly [E in EngineName]: Form } & { readonly nullable?: true };

/** A column whose values are `T` in the program. */
export type Column<T> = AnyColumn & { readonly [value]?: T };

export type ValueOf<C> = C extends Column<infer T> ? T : never;

/**
 * The SQL types, for migrations. There is no native boolean, because the engines differ there. An int is milliseconds or a counter,
 * below 2^53.
 */
export const SQL_TYPES = {
  sqlite: { text: 'text', int: 'bigint', flag: 'smallint', bytes: 'blob' },
  postgres: { text: 'text', int: 'bigint', flag: 'smallint', bytes: 'bytea' },
} as const;

type SqlType = keyof (typeof SQL_TYPES)[EngineName];

/** A column that both engines read and write in the same way. */
const alike = <T>(type: SqlType, rest: Omit<Form, 'type'> = {}): Column<T> => ({
  sqlite: { type: SQL_TYPES.sqlite[type], ...rest },
  postgres: { type: SQL_TYPES.postgres[type], ...rest },
});

// The column types. A new one is added here, and nowhere else.

export const text = <T extends string = string>(): Column<T> => alike('text');

export const int = (): Column<number> => alike('int');

export const bytes = (): Column<Buffer> => alike('bytes');

export const flag = (): Column<boolean> =>
  alike('flag', { write: (on: boolean) => (on ? 1 : 0), read: (stored: number) => stored === 1 });

export const json = <T>(): Column<T> => alike('text', { write: JSON.stringify, read: JSON.parse });

/** JSON, and '' for null. */
export const jsonOrEmpty = <T>(): Column<T | null> =>
  alike('text', {
    write: (given: T | null) => (given === null ? '' : JSON.stringify(given)),
    read: (stored: string) => (stored === '' ? null : JSON.parse(stored)),
  });

const orNull = ({ type, write, read }: Form): Form => ({
  type,
  ...(write && { write: (given) => (given === null ? null : write(given)) }),
  ...(read && { read: (stored) => (stored === null ? null : read(stored)) }),
});

export const nullable = <T>(column: Column<T>): Column<T | null> => ({
  sqlite: orNull(column.sqlite),
  postgres: orNull(column.postgres),
  nullable: true,
});

/** Several values of one column in one parameter. PostgreSQL only. */
export const list = <T>({ sqlite, postgres: { type, write } }: Column<T>): Column<readonly T[]> => {
  const array = arrayWriter(type);
  const written = write === undefined ? array : (given: readonly T[]) => array(given.map(write));
  return { sqlite, postgres: { type: `${type}[]`, write: written } };
};
