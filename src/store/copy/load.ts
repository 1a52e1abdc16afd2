import { rfc3339 } from '../../base/time.ts';
import { migrate } from '../migrations/migrate.ts';
import { keepPositionsRising, POSITION_BASE } from '../position-base.ts';
import { IDENTITY, instanceWrites } from '../repositories/service/instance.ts';
import { type CopiedRow, type CopiedTable, writerOf } from './columns.ts';
import { endLogins } from './end-logins.ts';
import { distinctPositions } from './positions.ts';
import type { Target } from './target.ts';

/** A copy in its order: each table, then its rows. `bytes`: the length of a row in the copy. */
export type Piece = { table: CopiedTable } | { row: CopiedRow; bytes: number };

export type Copy = {
  /** The version of the schema that the rows are of. */
  schema: number;
  /** The last number that each counting table has given out. */
  numbers: Readonly<Record<string, number>>;
  pieces: AsyncIterable<Piece>;
};

/** The instance's row that says when and from what this database was restored, as JSON. */
const RESTORED = 'restored';

/** The tables that count their rows. Other tables have the numbers too, so none is given out twice. */
export const COUNTING = ['webhook_events'] as const;

/** Rows that are inserted together. */
const BATCH = { rows: 500, bytes: 2 ** 20 };

function checkColumns({ name, columns }: CopiedTable, tables: ReadonlyMap<string, ReadonlySet<string>>): void {
  const known = tables.get(name);
  const isSame = known?.size === columns.length && columns.every(([column]) => known.has(column));
  if (!isSame) throw new Error(`the copy’s table ${name} is not that of its schema: the copy was made by another program`);
}

async function* batched(pieces: AsyncIterable<Piece>): AsyncGenerator<CopiedTable | CopiedRow[]> {
  let rows: CopiedRow[] = [];
  let held = 0;
  for await (const piece of pieces) {
    if ('row' in piece) {
      rows.push(piece.row);
      held += piece.bytes;
    }
    if (rows.length > 0 && ('table' in piece || rows.length === BATCH.rows || held >= BATCH.bytes)) {
      yield rows;
      rows = [];
      held = 0;
    }
    if ('table' in piece) yield piece.table;
  }
  if (rows.length > 0) yield rows;
}

/** Fills the tables of the copy's schema. Each must be in the copy, once. */
async function fill({ conn, insert }: Target, { pieces }: Copy, tables: ReadonlyMap<string, ReadonlySet<string>>): Promise<void> {
  const missing = new Set(tables.keys());
  const positions = distinctPositions(conn);
  let table: CopiedTable | undefined;
  let write: (row: CopiedRow) => unknown[] = () => [];
  for await (const next of batched(pieces)) {
    if ('name' in next) {
      checkColumns(next, tables);
      if (!missing.delete(next.name)) throw new Error(`the copy has the table ${next.name} twice`);
      [table, write] = [next, writerOf(conn.engine, next)];
      continue;
    }
    const rows = next.map((row) => write(row));
    for (const row of rows) await positions.place(table!, row);
    await insert(table!, rows);
  }
  if (missing.size > 0) throw new Error(`the copy lacks the table ${[...missing][0]}`);
  await positions.end();
}

/**
 * Loads a copy into an empty database. It makes the copy's schema, inserts its rows, and runs the migrations since. The database is then
 * in quarantine. `restored`: the text of the instance's row about it.
 */
export async function load(target: Target, copy: Copy, now: number, restored: string): Promise<void> {
  const { conn } = target;
  const watch = { say: () => {}, everyMs: 60_000 };
  await migrate((work) => work(conn), now, watch, copy.schema);
  const tables = await target.tables();
  // Migrations leave some rows, which the copy has too.
  for (const name of tables.keys()) await conn.run(`DELETE FROM "${name}"`, []);
  await fill(target, copy, tables);
  for (const table of COUNTING) await target.setLastNumber(table, copy.numbers[table] ?? 0);
  // These are facts of the server that the copy was made on.
  await conn.run(`DELETE FROM instance WHERE key IN ('${POSITION_BASE}', '${IDENTITY}')`, []);
  await conn.run('UPDATE clock SET stamped = 0', []);
  await migrate((work) => work(conn), now, watch);
  await endLogins(conn);
  const writes = instanceWrites(conn);
  await writes.put(RESTORED, restored);
  await writes.setQuarantine({
    ...{ cause: 'restored', detail: 'the database was restored from a copy', since: rfc3339(now) },
    ...{ refusesBefore: null, sendsBefore: null, ended: null, held: [] },
  });
  await keepPositionsRising(conn);
}
