import { builders } from '../../builders.ts';
import { type EngineName, SQL_TYPES } from '../../columns.ts';
import { newValue, type RebuiltColumn } from './columns.ts';

type Index = { readonly name: string; readonly columns: readonly string[]; readonly unique?: true };

export type RebuiltTable = {
  readonly name: string;
  readonly columns: Readonly<Record<string, RebuiltColumn>>;
  /** The primary key, before and after: old rows are copied in its order. */
  readonly key: readonly [string, ...string[]];
  readonly indexes: readonly Index[];
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

export function renameOld({ name }: RebuiltTable, engine: EngineName): string {
  return builders[engine].schema.alterTable(name).renameTo(oldName(name)).compile().sql;
}

function createAs(name: string, { columns, key }: RebuiltTable, engine: EngineName): string {
  let table = builders[engine].schema.createTable(name) as unknown as {
    addColumn(name: string, type: string, build: (c: { notNull(): unknown }) => unknown): typeof table;
    addPrimaryKeyConstraint(name: string, columns: readonly string[]): typeof table;
    compile(): { sql: string };
  };
  for (const [column, { type, nullable }] of Object.entries(columns))
    table = table.addColumn(column, SQL_TYPES[engine][type], (c) => (nullable ? c : c.notNull()));
  return table.addPrimaryKeyConstraint(`${name}_key`, key).compile().sql;
}

export const createNew = (table: RebuiltTable, engine: EngineName): string => createAs(newName(table.name), table, engine);

const createIndexes = ({ name, indexes }: RebuiltTable, engine: EngineName): string[] =>
  indexes.map((one) => {
    const made = builders[engine].schema
      .createIndex(one.name)
      .on(name)
      .columns([...one.columns]);
    return (one.unique ? made.unique() : made).compile().sql;
  });

/** For a database without rows. */
export const createAfresh = (table: RebuiltTable, engine: EngineName): string[] => [
  builders[engine].schema.dropTable(table.name).compile().sql,
  createAs(table.name, table, engine),
  ...createIndexes(table, engine),
];

const list = (names: readonly string[]): string => names.map((name) => `"${name}"`).join(', ');

/** Copies the old rows of a condition. */
export function copyRows({ name, columns }: RebuiltTable, engine: EngineName, where: string): string {
  const values = Object.entries(columns).map(([column, given]) => newValue(column, given, engine));
  return `insert into "${newName(name)}" (${list(Object.keys(columns))}) select ${values.join(', ')} from "${oldName(name)}" o where ${where}`;
}

/** Puts the new table in the place of the old one. */
export function takePlace(table: RebuiltTable, engine: EngineName): string[] {
  const { name } = table;
  const { schema } = builders[engine];
  // On PostgreSQL names of constraints are names of indexes, and the next rebuild uses this one again. SQLite does not compare them.
  const renamed =
    engine === 'postgres' ? [`alter table "${name}" rename constraint "${newName(name)}_key" to "${name}_key"`] : [];
  return [
    schema.dropTable(oldName(name)).compile().sql,
    schema.alterTable(newName(name)).renameTo(name).compile().sql,
    ...renamed,
    ...createIndexes(table, engine),
  ];
}
