import type { Conn } from '../../statement.ts';
import type { Progress } from './progress.ts';
import { copyRows, oldName, type RebuiltTable } from './table.ts';

/** What one transaction copies at most. */
export type Batch = { readonly rows: number; readonly bytes: number };

type Key = readonly (string | number)[];

/** What old rows are walked by: the number of the row, or on PostgreSQL, which has none, the primary key. */
const walked = ({ oldKey }: RebuiltTable, conn: Conn): string[] =>
  conn.engine === 'sqlite' ? ['o.rowid'] : oldKey.map((name) => `o."${name}"`);

/** `(o."organization_id", o."id") > ($1, $2)` */
function compared(names: readonly string[], conn: Conn, operator: '>' | '<=', first: number): string {
  const marks = names.map((_, i) => (conn.engine === 'sqlite' ? '?' : `$${first + i}`));
  return `(${names.join(', ')}) ${operator} (${marks.join(', ')})`;
}

/** The keys of the next rows, as many as fit into the batch. */
async function nextKeys(conn: Conn, table: RebuiltTable, last: Key | null, batch: Batch): Promise<Key[]> {
  const names = walked(table, conn);
  const selected = names.map((name, i) => `${name} AS k${i}`).join(', ');
  const size = table.heavy === undefined ? '0' : `length(o."${table.heavy}")`;
  const after = last === null ? '' : `WHERE ${compared(names, conn, '>', 1)}`;
  const sql = `SELECT ${selected}, ${size} AS size FROM "${oldName(table.name)}" o ${after} ORDER BY ${names.join(', ')} LIMIT ${batch.rows}`;
  const rows = (await conn.all(sql, last ?? [])) as Record<string, string | number>[];
  const keys: Key[] = [];
  let bytes = 0;
  for (const row of rows) {
    keys.push(names.map((_, i) => row[`k${i}`]!));
    bytes += Number(row.size);
    if (bytes >= batch.bytes) break;
  }
  return keys;
}

/** Copies the next rows; returns the progress afterwards. */
export async function copyBatch(conn: Conn, table: RebuiltTable, progress: Progress, batch: Batch): Promise<Progress> {
  const { last, done, copied } = progress;
  const names = walked(table, conn);
  const keys = await nextKeys(conn, table, last, batch);
  const upTo = keys.at(-1);
  if (upTo === undefined) return { ...progress, stage: 'replace' };
  const after = last === null ? '' : `${compared(names, conn, '>', 1)} and `;
  const until = compared(names, conn, '<=', last === null ? 1 : 1 + names.length);
  const count = await conn.run(copyRows(table, conn.engine, after + until), [...(last ?? []), ...upTo]);
  if (table.where === undefined ? count !== keys.length : count > keys.length)
    throw new Error(`of ${keys.length} rows of ${table.name}, ${count} were copied`);
  return { ...progress, last: upTo, done: done + keys.length, copied: copied + count };
}
