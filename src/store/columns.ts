import { base64UrlBytes, base64UrlText, digestBytes, digestText, hexBytes, hexText, idBytes, idText } from './compact.ts';
import { arrayWriter } from './postgres-array.ts';

export type EngineName = 'sqlite' | 'postgres';

/** How one engine stores a column. Without `write` and `read`, values are stored unchanged. */
type Form = {
  readonly type: string;
  // biome-ignore lint/suspicious/noExplicitAny: each form knows its own values
  readonly write?: (value: any) => unknown;
  /** How to store a value for a comparison, if that differs from `write`. A value that the column cannot hold equals no stored value. */
  // biome-ignore lint/suspicious/noExplicitAny: each form knows its own values
  readonly seek?: (value: any) => unknown;
  // biome-ignore lint/suspicious/noExplicitAny: each form knows its own values
  readonly read?: (stored: any) => unknown;
};

declare const value: unique symbol;

/**
 * How a column depends on a master key. It has a sealed secret, a value that may be sealed, or a keyed hash.
 * `src/store/sealed/places.ts` names each such column.
 */
export type Holds = 'sealed' | 'body' | 'text' | 'hash';

/** A column with values of any type. */
export type AnyColumn = { readonly [E in EngineName]: Form } & { readonly nullable?: true; readonly holds?: Holds };

/** A column whose values are `T` in the program. */
export type Column<T> = AnyColumn & { readonly [value]?: T };

export type ValueOf<C> = C extends Column<infer T> ? T : never;

/**
 * The SQL types, for migrations. There is no native boolean, because the engines differ there. An int is a time in milliseconds or a
 * counter, and is below 2^53.
 */
export const SQL_TYPES = {
  sqlite: { text: 'text', int: 'bigint', flag: 'smallint', bytes: 'blob', id: 'blob' },
  postgres: { text: 'text', int: 'bigint', flag: 'smallint', bytes: 'bytea', id: 'uuid' },
} as const;

type SqlType = keyof (typeof SQL_TYPES)[EngineName];

/** A column that both engines read and write in the same way. */
const alike = <T>(type: SqlType, rest: Omit<Form, 'type'> = {}): Column<T> => ({
  sqlite: { type: SQL_TYPES.sqlite[type], ...rest },
  postgres: { type: SQL_TYPES.postgres[type], ...rest },
});

// The column types. Add new column types here only.

export const text = <T extends string = string>(): Column<T> => alike('text');

export const int = (): Column<number> => alike('int');

export const bytes = (): Column<Buffer> => alike('bytes');

export const sealed = (): Column<Buffer> => ({ ...bytes(), holds: 'sealed' });

export const keyedHash = (): Column<Buffer> => ({ ...bytes(), holds: 'hash' });

/** The body of an activity, sealed if it has a secret. */
export const sealableBody = (): Column<Buffer> => ({ ...bytes(), holds: 'body' });

/** A text that is sealed if it has a secret. */
export const sealableText = (): Column<string> => ({ ...text(), holds: 'text' });

export const flag = (): Column<boolean> =>
  alike('flag', { write: (on: boolean) => (on ? 1 : 0), read: (stored: number) => stored === 1 });

export const json = <T>(): Column<T> => alike('text', { write: JSON.stringify, read: JSON.parse });

/** Wraps a conversion: it throws instead of returning undefined, so a column never holds a value in another form. */
const orThrow =
  <T>(form: (text: string) => T | undefined, what: string) =>
  (text: string): T => {
    const value = form(text);
    if (value === undefined) throw new Error(`${JSON.stringify(text)} is not ${what}`);
    return value;
  };

/** The nil UUID. No row has this id. */
const NIL = '00000000-0000-0000-0000-000000000000';
const NIL_BYTES = Buffer.alloc(16);

const asUuid = (text: string): string | undefined => (idBytes(text) === undefined ? undefined : text);

/** A UUID in lower case, stored in 16 bytes, which have the same sort order as the text. */
export const id = (): Column<string> => ({
  sqlite: {
    type: SQL_TYPES.sqlite.id,
    write: orThrow(idBytes, 'a UUID in lower case'),
    seek: (text: string) => idBytes(text) ?? NIL_BYTES,
    read: idText,
  },
  postgres: {
    type: SQL_TYPES.postgres.id,
    write: orThrow(asUuid, 'a UUID in lower case'),
    seek: (text: string) => asUuid(text) ?? NIL,
  },
});

/** Mostly lower-case hex, such as public keys and signatures, stored as bytes. Any other text is kept as it is. */
export const hex = (): Column<string> => alike('bytes', { write: hexBytes, read: hexText });

const NOTHING = Buffer.alloc(0);

/** Base64url without padding, never empty, stored as bytes. */
export const base64Url = (): Column<string> =>
  alike('bytes', {
    write: orThrow((text) => (text === '' ? undefined : base64UrlBytes(text)), 'base64url'),
    seek: (text: string) => base64UrlBytes(text) ?? NOTHING,
    read: base64UrlText,
  });

/** `sha256:` and lower-case hex, stored in 32 bytes. */
export const digest = (): Column<string> =>
  alike('bytes', {
    write: orThrow(digestBytes, 'a digest'),
    seek: (text: string) => digestBytes(text) ?? NOTHING,
    read: digestText,
  });

/** JSON, and '' for null. */
export const jsonOrEmpty = <T>(): Column<T | null> =>
  alike('text', {
    write: (given: T | null) => (given === null ? '' : JSON.stringify(given)),
    read: (stored: string) => (stored === '' ? null : JSON.parse(stored)),
  });

const orNull = ({ type, write, seek, read }: Form): Form => ({
  type,
  ...(write && { write: (given) => (given === null ? null : write(given)) }),
  ...(seek && { seek: (given) => (given === null ? null : seek(given)) }),
  ...(read && { read: (stored) => (stored === null ? null : read(stored)) }),
});

export const nullable = <T>(column: Column<T>): Column<T | null> => ({
  ...(column.holds && { holds: column.holds }),
  sqlite: orNull(column.sqlite),
  postgres: orNull(column.postgres),
  nullable: true,
});

const seeking = ({ type, write, seek = write }: Form): Form => ({ type, ...(seek && { write: seek }) });

/** The SQL text of a column's values in comparisons. */
export const sought = <T>({ sqlite, postgres }: Column<T>): Column<T> => ({
  sqlite: seeking(sqlite),
  postgres: seeking(postgres),
});

/** Several values of one column in one parameter. PostgreSQL only. */
export const list = <T>({ sqlite, postgres: { type, write } }: Column<T>): Column<readonly T[]> => {
  const array = arrayWriter(type);
  const written = write === undefined ? array : (given: readonly T[]) => array(given.map(write));
  return { sqlite, postgres: { type: `${type}[]`, write: written } };
};
