import { SQL_TYPES } from '../../columns.ts';
import type { Conn } from '../../statement.ts';
import { newName, type RebuiltTable } from './table.ts';

/** How far the rebuild of one table has come. It is written in the transaction of each batch. */
export type Progress = {
  name: string;
  stage: 'copy' | 'replace' | 'done';
  /** The key of the last old row that was gone over. */
  last: readonly (string | number)[] | null;
  /** Old rows that were gone over, and new ones that came of them. */
  done: number;
  copied: number;
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
    `CREATE TABLE ${TABLE} (name ${text} PRIMARY KEY, stage ${text} NOT NULL, last ${text} NOT NULL, done ${int} NOT NULL, copied ${int} NOT NULL, total ${int} NOT NULL, bytes ${int} NOT NULL)`,
    [],
  );
  for (const { name, stage, last, done, copied, total, bytes } of rows)
    await conn.run(`INSERT INTO ${TABLE} VALUES (${marks(conn, 7)})`, [
      name,
      stage,
      JSON.stringify(last),
      done,
      copied,
      total,
      bytes,
    ]);
}

export async function readProgress(conn: Conn, tables: readonly RebuiltTable[]): Promise<Progress[]> {
  const rows = (await conn.all(`SELECT name, stage, last, done, copied, total, bytes FROM ${TABLE}`, [])) as Row[];
  return tables.map(({ name }) => {
    const row = rows.find((one) => one.name === name);
    if (row === undefined) throw new Error(`${TABLE} has no row for ${name}: restore the backup made before the migration`);
    const [done, copied, total, bytes] = [row.done, row.copied, row.total, row.bytes].map(Number) as [
      number,
      number,
      number,
      number,
    ];
    return { name, stage: row.stage, last: JSON.parse(row.last), done, copied, total, bytes };
  });
}

export async function writeProgress(conn: Conn, { name, stage, last, done, copied }: Progress): Promise<void> {
  const [a, b, c, d, e] = marks(conn, 5);
  const sql = `UPDATE ${TABLE} SET stage = ${a}, last = ${b}, done = ${c}, copied = ${d} WHERE name = ${e}`;
  await conn.run(sql, [stage, JSON.stringify(last), done, copied, name]);
}

export async function dropProgress(conn: Conn): Promise<void> {
  await conn.run(`DROP TABLE ${TABLE}`, []);
}

export async function countRows(conn: Conn, table: string): Promise<number> {
  const [row] = (await conn.all(`SELECT count(*) AS n FROM "${table}"`, [])) as { n: number }[];
  return Number(row!.n);
}

/** Before the first old table goes: each of their rows was gone over, and nobody else wrote to the new ones. */
export async function checkCopied(conn: Conn, { name, total, done, copied }: Progress): Promise<void> {
  const found = await countRows(conn, newName(name));
  if (found === copied && done === total) return;
  throw new Error(
    `${done} of the ${total} rows of ${name} were gone over, and ${found} are in the new table, where ${copied} were written: no row was dropped. Did another program write to the database? Restore the backup made before the migration`,
  );
}
