import { type EngineName, SQL_TYPES } from '../../columns.ts';

type SqlType = keyof (typeof SQL_TYPES)[EngineName];

type Column = { readonly [E in EngineName]: string };

const engines = (definition: (engine: EngineName) => string): Column => ({
  sqlite: definition('sqlite'),
  postgres: definition('postgres'),
});
const column = (type: SqlType): Column => engines((engine) => `${SQL_TYPES[engine][type]} not null`);

export const text = column('text');
export const int = column('int');
export const flag = column('flag');
export const bytes = column('bytes');
export const id = column('id');

/** The place of a row in the order of writing: see `src/store/position.ts`. */
export const position: Column = {
  sqlite: 'integer primary key',
  postgres: 'bigint not null default (pg_current_xact_id()::text::bigint)',
};

export const nullable = (given: Column): Column => engines((engine) => given[engine].replace(' not null', ''));

type Index = { readonly name: string; readonly columns: readonly string[]; readonly unique?: true; readonly where?: string };

export const index = (name: string, ...columns: string[]): Index => ({ name, columns });
export const unique = (name: string, ...columns: string[]): Index => ({ name, columns, unique: true });
export const where = (condition: string, given: Index): Index => ({ ...given, where: condition });

export type Definition = (engine: EngineName) => readonly string[];

const list = (names: readonly string[]): string => names.map((name) => `"${name}"`).join(', ');

const createIndex = (table: string, { name, columns, unique, where }: Index): string =>
  `create ${unique ? 'unique ' : ''}index "${name}" on "${table}" (${list(columns)})${where === undefined ? '' : ` where ${where}`}`;

/** A table with its primary key and its indexes. */
export function table(
  name: string,
  columns: Readonly<Record<string, Column>>,
  key: readonly string[],
  ...indexes: Index[]
): Definition {
  const isNumbered = Object.values(columns).includes(position);
  return (engine) => {
    const columnList = Object.entries(columns).map(([column, definition]) => `"${column}" ${definition[engine]}`);
    // On SQLite the position is the primary key, because it is the rowid.
    const ownKey = isNumbered && engine === 'sqlite';
    const parts = ownKey ? columnList : [...columnList, `constraint "${name}_key" primary key (${list(key)})`];
    const placed = engine === 'sqlite' ? unique(`${name}_key`, ...key) : index(`${name}_by_position`, 'position');
    const all = isNumbered ? [placed, ...indexes] : indexes;
    return [`create table "${name}" (${parts.join(', ')})`, ...all.map((one) => createIndex(name, one))];
  };
}
