import { sql } from 'kysely';
import { builders } from '../../builders.ts';
import { type EngineName, SQL_TYPES } from '../../columns.ts';
import { newValue, type RebuiltColumn, type Sql, sqlFor } from './columns.ts';

type Index = { readonly name: string; readonly columns: readonly string[]; readonly unique?: true; readonly only?: EngineName };

export type RebuiltTable = {
  readonly name: string;
  readonly columns: Readonly<Record<string, RebuiltColumn>>;
  /** The old primary key: on PostgreSQL old rows are copied in its order, on SQLite in the order of their numbers. */
  readonly oldKey: readonly [string, ...string[]];
  /** The new primary key, if it differs. */
  readonly key?: readonly [string, ...string[]];
  readonly indexes: readonly Index[];
  /** Further old rows, behind `from old_… o`. Each old row must stay one row. */
  readonly join?: Sql;
  /** Old rows that are copied; unset: all. */
  readonly where?: Sql;
  /** Also has its place in the order of writing: see src/store/position.ts. `position`: that of an old row. */
  readonly numbered?: { readonly position: { readonly [E in EngineName]: string } };
  /** An old column of many bytes, so that batches stay small. */
  readonly heavy?: string;
  /** Its rows are never erased: what stays of the old table in SQLite's free pages is no remainder of anything deleted. */
  readonly forever?: true;
};

export const index = (name: string, ...columns: string[]): Index => ({ name, columns });
export const unique = (name: string, ...columns: string[]): Index => ({ name, columns, unique: true });

/** While tables are rebuilt, none has its own name: a program of an older version that still runs finds nothing to write to. */
export const oldName = (name: string): string => `old_${name}`;
export const newName = (name: string): string => `new_${name}`;

const schemaOf = (engine: EngineName) => builders[engine].schema;

export const renameOld = (name: string, engine: EngineName): string =>
  schemaOf(engine).alterTable(name).renameTo(oldName(name)).compile().sql;

export const dropTable = (name: string, engine: EngineName): string => schemaOf(engine).dropTable(name).compile().sql;

/** Without keys and indexes: they are made at the end, which is faster. */
function createAs(name: string, { columns, numbered }: RebuiltTable, engine: EngineName): string {
  const types = SQL_TYPES[engine];
  let table = schemaOf(engine).createTable(name);
  // SQLite's own number of the row, so that it needs no index.
  if (numbered && engine === 'sqlite') table = table.addColumn('position', 'integer', (c) => c.primaryKey());
  else if (numbered)
    table = table.addColumn('position', types.int, (c) => c.notNull().defaultTo(sql.raw('(pg_current_xact_id()::text::bigint)')));
  for (const [column, { type, nullable }] of Object.entries(columns))
    table = table.addColumn(column, types[type], (c) => (nullable ? c : c.notNull()));
  return table.compile().sql;
}

export const createNew = (table: RebuiltTable, engine: EngineName): string => createAs(newName(table.name), table, engine);

function createIndex(table: string, { name, columns, unique: isUnique }: Index, engine: EngineName): string {
  const made = schemaOf(engine)
    .createIndex(name)
    .on(table)
    .columns([...columns]);
  return (isUnique ? made.unique() : made).compile().sql;
}

function createKeys({ name, oldKey, key = oldKey, indexes, numbered }: RebuiltTable, engine: EngineName): string[] {
  const primary = `${name}_key`;
  return [
    engine === 'sqlite'
      ? createIndex(name, unique(primary, ...key), engine)
      : schemaOf(engine)
          .alterTable(name)
          .addPrimaryKeyConstraint(primary, [...key] as never[])
          .compile().sql,
    ...indexes.map((one) => createIndex(name, one, engine)),
    ...(numbered && engine === 'postgres' ? [createIndex(name, index(`${name}_by_position`, 'position'), engine)] : []),
  ];
}

/** For a database without rows. */
export const createAfresh = (table: RebuiltTable, engine: EngineName): string[] => [
  dropTable(table.name, engine),
  createAs(table.name, table, engine),
  ...createKeys(table, engine),
];

/** Copies the old rows of a condition. */
export function copyRows(
  { name, columns, numbered, join = '', where = '' }: RebuiltTable,
  engine: EngineName,
  range: string,
): string {
  const values = Object.entries(columns).map(([column, given]) => [column, newValue(column, given, engine)] as const);
  if (numbered) values.push(['position', numbered.position[engine]]);
  const filter = sqlFor(where, engine);
  return [
    `insert into "${newName(name)}" (${values.map(([column]) => `"${column}"`).join(', ')})`,
    `select ${values.map(([, value]) => value).join(', ')} from "${oldName(name)}" o ${sqlFor(join, engine)}`,
    `where ${range}${filter === '' ? '' : ` and (${filter})`}`,
  ].join(' ');
}

/** Puts the new table in the place of the old one. */
export const takePlace = (table: RebuiltTable, engine: EngineName): string[] => [
  dropTable(oldName(table.name), engine),
  schemaOf(engine).alterTable(newName(table.name)).renameTo(table.name).compile().sql,
  ...createKeys(table, engine),
];
