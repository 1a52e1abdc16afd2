import { SQL_TYPES } from '../../columns.ts';
import type { Conn } from '../../statement.ts';
import { newName, type RebuiltTable } from './table.ts';

/** How far the rebuild of one table has come. It is written in the transaction of each batch. */
export type Progress = {
  name: string;
  stage: 'copy' | 'replace' | 'done';
  /** The key of the last copied row. */
  last: readonly (string | number)[] | null;
  done: number;
  /** Rows in the old table. */
  total: number;
  /** Bytes that SQLite's file had in use when the rebuild began. */
  bytes: number;
};

const TABLE = 'migration_progress';

type Row = Omit<Progress, 'last'> & { last: string };

const marks = (conn: Conn, count: number): string[] =>
  Array.from({ length: count }, (_, i) => (conn.engine === 'sqlite' ? '?' : `$${i + 1}`));

/** The rows exist while a rebuild is under way, in the order of the migration's tables. */
export async function createProgress(conn: Conn, rows: readonly Progress[]): Promise<void> {
  const { text, int } = SQL_TYPES[conn.engine];
  await conn.run(
    `CREATE TABLE ${TABLE} (name ${text} PRIMARY KEY, stage ${text} NOT NULL, last ${text} NOT NULL, done ${int} NOT NULL, total ${int} NOT NULL, bytes ${int} NOT NULL)`,
    [],
  );
  for (const { name, stage, last, done, total, bytes } of rows)
    await conn.run(`INSERT INTO ${TABLE} VALUES (${marks(conn, 6)})`, [name, stage, JSON.stringify(last), done, total, bytes]);
}

export async function readProgress(conn: Conn, tables: readonly RebuiltTable[]): Promise<Progress[]> {
  const rows = (await conn.all(`SELECT name, stage, last, done, total, bytes FROM ${TABLE}`, [])) as Row[];
  return tables.map(({ name }) => {
    const row = rows.find((one) => one.name === name);
    if (row === undefined) throw new Error(`${TABLE} has no row for ${name}: restore the backup made before the migration`);
    const [done, total, bytes] = [Number(row.done), Number(row.total), Number(row.bytes)];
    return { name, stage: row.stage, last: JSON.parse(row.last), done, total, bytes };
  });
}

export async function writeProgress(conn: Conn, { name, stage, last, done }: Progress): Promise<void> {
  const [a, b, c, d] = marks(conn, 4);
  await conn.run(`UPDATE ${TABLE} SET stage = ${a}, last = ${b}, done = ${c} WHERE name = ${d}`, [
    stage,
    JSON.stringify(last),
    done,
    name,
  ]);
}

export async function dropProgress(conn: Conn): Promise<void> {
  await conn.run(`DROP TABLE ${TABLE}`, []);
}

export async function countRows(conn: Conn, table: string): Promise<number> {
  const [row] = (await conn.all(`SELECT count(*) AS n FROM "${table}"`, [])) as { n: number }[];
  return Number(row!.n);
}

/** Before the old table goes: each of its rows is in the new one. */
export async function checkCopied(conn: Conn, { name, total, done }: Progress): Promise<void> {
  const copied = await countRows(conn, newName(name));
  if (copied !== total || done !== total)
    throw new Error(
      `${name} has ${total} rows and ${copied} were copied: nothing was dropped. Did another program write to the database? Restore the backup made before the migration`,
    );
}
