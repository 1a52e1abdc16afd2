import { snakeCase } from '../base/names.ts';
import type { AnyColumn, EngineName, ValueOf } from './columns.ts';
import { Placeholder } from './placeholder.ts';

type Columns = Readonly<Record<string, AnyColumn>>;

type Values<C> = { [K in keyof C]: ValueOf<C[K]> };

/** parentId → parent_id */
export type Snake<S> = S extends `${infer H}${infer T}` ? `${H extends Lowercase<H> ? H : `_${Lowercase<H>}`}${Snake<T>}` : '';

type Aliased<K> = K extends string ? (Snake<K> extends K ? K : `${Snake<K>} as ${K}`) : never;

export type Table<N extends string = string, C = Columns, D = Columns> = {
  readonly name: N;
  /** The columns by the model's member names. */
  readonly model: C;
  /** Columns that the model lacks. Their values are computed at insertion. */
  readonly derived: { readonly [K in keyof D]: Derived<C, D[K]> };
  /** The select list for a model: `['organization_id as organizationId', 'id', …]`. */
  readonly all: readonly Aliased<keyof C>[];
};

type Derived<C, T> = { readonly column: T; from(model: Values<C>): ValueOf<T> };

// biome-ignore lint/suspicious/noExplicitAny: any table
export type AnyTable = Table<string, any, any>;

/** A row in the program's form. */
export type ModelOf<T> = T extends Table<string, infer C, infer _> ? Values<C> : never;

/** A row by column names, as queries see it. */
export type RowOf<T> =
  T extends Table<string, infer C, infer D>
    ? { [K in keyof C as Snake<K>]: ValueOf<C[K]> } & { [K in keyof D as Snake<K>]: ValueOf<D[K]> }
    : never;

/**
 * Describes a table once. `model` has a column for each member of the program's type, named in snake case. `derived` columns are stored
 * but are not in the model. Their values are computed at insertion.
 */
export function table<N extends string, C extends Columns, D extends Columns = Record<never, never>>(
  name: N,
  model: C,
  derived = {} as { readonly [K in keyof D]: Derived<C, D[K]> },
): Table<N, C, D> {
  const all = Object.keys(model).map((key) => (snakeCase(key) === key ? key : `${snakeCase(key)} as ${key}`));
  return { name, model, derived, all: all as Aliased<keyof C>[] };
}

type Member = {
  readonly key: string;
  readonly name: string;
  readonly column: AnyColumn;
  /** Computes the value of a derived column. */
  readonly from: ((model: object) => unknown) | undefined;
};

/** All columns of the table, derived ones included. */
export function stored({ model, derived }: AnyTable): Member[] {
  const members = Object.entries<AnyColumn>(model).map(([key, column]) => ({
    key,
    name: snakeCase(key),
    column,
    from: undefined,
  }));
  const more = Object.entries<Derived<Columns, AnyColumn>>(derived).map(([key, { column, from }]) => ({
    key,
    name: snakeCase(key),
    column,
    from: from as Member['from'],
  }));
  return [...members, ...more];
}

/** The values of an INSERT whose parameter is the model. */
export function values<T extends AnyTable>(table: T, _p: ModelOf<T>): RowOf<T> {
  return Object.fromEntries(stored(table).map(({ key, name, from }) => [name, new Placeholder(key, from)])) as RowOf<T>;
}

/** The select list of an aliased table: `c."user_id" AS "c.userId", …`. `readerOf` reads its rows. */
export const selection = (alias: string, { model }: AnyTable): string =>
  Object.keys(model)
    .map((key) => `${alias}."${snakeCase(key)}" AS "${alias}.${key}"`)
    .join(', ');

/** Reads the model of an alias from a row with the columns of `selection`. */
export function readerOf<T extends AnyTable>(engine: EngineName, alias: string, { model }: T) {
  const members = Object.entries<AnyColumn>(model).map(([key, column]) => ({
    key,
    from: `${alias}.${key}`,
    read: column[engine].read,
  }));
  return (row: object): ModelOf<T> => {
    const found: Record<string, unknown> = {};
    for (const { key, from, read } of members) {
      const stored = (row as Record<string, unknown>)[from];
      found[key] = read === undefined ? stored : read(stored);
    }
    return found as ModelOf<T>;
  };
}
