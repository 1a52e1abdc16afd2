import type { Conn } from '../../statement.ts';
import type { Progress } from './progress.ts';
import { copyRows, oldName, type RebuiltTable } from './table.ts';

/** What one transaction copies at most. */
export type Batch = { readonly rows: number; readonly bytes: number };

type Key = readonly (string | number)[];

/** `("organization_id", "id") > ($1, $2)` */
function compared({ key }: RebuiltTable, conn: Conn, operator: '>' | '<=', first: number): string {
  const names = key.map((name) => `o."${name}"`).join(', ');
  const marks = key.map((_, i) => (conn.engine === 'sqlite' ? '?' : `$${first + i}`)).join(', ');
  return `(${names}) ${operator} (${marks})`;
}

/** The keys of the next rows, as many as fit into the batch. */
async function nextKeys(conn: Conn, table: RebuiltTable, last: Key | null, batch: Batch): Promise<Key[]> {
  const { name, key, heavy } = table;
  const names = key.map((part) => `o."${part}"`).join(', ');
  const size = heavy === undefined ? '0' : `length(o."${heavy}")`;
  const after = last === null ? '' : ` WHERE ${compared(table, conn, '>', 1)}`;
  const sql = `SELECT ${names}, ${size} AS size FROM "${oldName(name)}" o${after} ORDER BY ${names} LIMIT ${batch.rows}`;
  const rows = (await conn.all(sql, last ?? [])) as Record<string, string | number>[];
  const keys: Key[] = [];
  let bytes = 0;
  for (const row of rows) {
    keys.push(key.map((part) => row[part]!));
    bytes += Number(row.size);
    if (bytes >= batch.bytes) break;
  }
  return keys;
}

/** Copies the next rows; returns the progress afterwards. */
export async function copyBatch(conn: Conn, table: RebuiltTable, progress: Progress, batch: Batch): Promise<Progress> {
  const { last } = progress;
  const keys = await nextKeys(conn, table, last, batch);
  const upTo = keys.at(-1);
  if (upTo === undefined) return { ...progress, stage: 'replace' };
  const after = last === null ? '' : `${compared(table, conn, '>', 1)} AND `;
  const until = compared(table, conn, '<=', last === null ? 1 : 1 + table.key.length);
  const copied = await conn.run(copyRows(table, conn.engine, `${after}${until}`), [...(last ?? []), ...upTo]);
  if (copied !== keys.length) throw new Error(`of ${keys.length} rows of ${table.name}, ${copied} were copied`);
  return { ...progress, last: upTo, done: progress.done + copied };
}
