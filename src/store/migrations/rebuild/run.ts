import type { EngineName } from '../../columns.ts';
import type { Conn } from '../../statement.ts';
import type { Rebuild } from '../migration.ts';
import { checkRows } from './check.ts';
import { type Batch, copyBatch } from './copy.ts';
import { checkCopied, countRows, createProgress, dropProgress, type Progress, readProgress, writeProgress } from './progress.ts';
import { createAfresh, createNew, dropTable, oldName, type RebuiltTable, renameOld, takePlace } from './table.ts';

/** What a migration tells and asks while it runs. */
export type Watch = {
  say(text: string, fields: Record<string, string | number>): void;
  /** Bytes in use and bytes free for the database's files; undefined where the database is not on this machine. */
  space(conn: Conn): { used: number; free: number } | undefined;
  batch: Batch;
  /** In milliseconds: how often it says that it goes on. */
  everyMs: number;
};

/** Rows of a table between two lines of the log. */
const REPORT_EVERY = 100_000;

/** SQLite's log may grow to this before the writer itself empties it. */
const LOG_BYTES = 256 * 2 ** 20;

const inMegabytes = (bytes: number): string => `${Math.ceil(bytes / 1e6)} MB`;

/** The copy is smaller than what is copied, but by how much is not known before. */
function checkSpace({ name }: Rebuild, { used, free }: { used: number; free: number }, before: number, kept: string): void {
  const needed = Math.max(0, 2 * before - used) + Math.min(before, LOG_BYTES);
  if (free >= needed) return;
  throw new Error(
    `the migration "${name}" needs up to ${inMegabytes(needed)} of free space beside the database, and ${inMegabytes(free)} are free: ${inMegabytes(needed - free)} are missing. Make room and start again; ${kept}`,
  );
}

/** All of a rebuild, for a database without rows. */
export const rebuildAfresh = ({ tables, gone = [] }: Rebuild, engine: EngineName): string[] => [
  ...tables.flatMap((table) => createAfresh(table, engine)),
  ...gone.map((name) => dropTable(name, engine)),
];

/**
 * Checks what can be checked, then takes the old tables out of every program's reach. Returns the number of rows to copy. A database
 * without rows gets its new tables at once.
 */
export async function beginRebuild(conn: Conn, rebuild: Rebuild, watch: Watch): Promise<number> {
  // Each old row is looked at, so that its index would only cost time.
  if (conn.engine === 'postgres') await conn.run('SET LOCAL enable_seqscan = on', []);
  const space = watch.space(conn);
  const rows: Progress[] = [];
  let total = 0;
  for (const table of rebuild.tables) {
    const of = await countRows(conn, table.name);
    total += of;
    rows.push({ name: table.name, stage: 'copy', last: null, done: 0, copied: 0, total: of, bytes: space?.used ?? 0 });
  }
  if (total === 0) {
    for (const sql of rebuildAfresh(rebuild, conn.engine)) await conn.run(sql, []);
    return 0;
  }
  watch.say('the database gets a new layout; the service listens when that is done. It may be interrupted at any time', {
    migration: rebuild.name,
    rows: total,
  });
  if (space) checkSpace(rebuild, space, space.used, 'nothing was changed');
  for (const table of rebuild.tables) await checkRows(conn, table, rebuild.name);
  const oldNames = [...rebuild.tables.map(({ name }) => name), ...(rebuild.gone ?? [])];
  for (const name of oldNames) await conn.run(renameOld(name, conn.engine), []);
  for (const table of rebuild.tables) await conn.run(createNew(table, conn.engine), []);
  // Without them the planner may find the rows of a batch by going over the whole table.
  if (conn.engine === 'postgres') for (const name of oldNames) await conn.run(`ANALYZE "${oldName(name)}"`, []);
  await createProgress(conn, rows);
  return total;
}

/** Checks that what is left to copy fits. Called once for each process that goes on with a rebuild. */
export async function resumeRebuild(conn: Conn, rebuild: Rebuild, watch: Watch): Promise<void> {
  const progress = await readProgress(conn, rebuild.tables);
  const sum = (of: 'done' | 'total') => progress.reduce((all, row) => all + row[of], 0);
  watch.say('an interrupted change of the database’s layout goes on', {
    migration: rebuild.name,
    done: sum('done'),
    rows: sum('total'),
  });
  const space = watch.space(conn);
  if (space && progress.some(({ stage }) => stage === 'copy'))
    checkSpace(rebuild, space, progress[0]!.bytes, 'what was copied is kept');
}

/** Replaces the old table. On SQLite a large one that holds nothing to be erased is not overwritten first: that would double the log. */
async function replace(conn: Conn, table: RebuiltTable, progress: Progress): Promise<void> {
  const spared = conn.engine === 'sqlite' && table.forever === true;
  if (spared) await conn.all('PRAGMA secure_delete = OFF', []);
  try {
    for (const sql of takePlace(table, conn.engine)) await conn.run(sql, []);
  } finally {
    if (spared) await conn.all('PRAGMA secure_delete = ON', []);
  }
  if (conn.engine === 'postgres' && progress.total > 0) await conn.run(`ANALYZE "${table.name}"`, []);
}

/** The next step: one batch, or one table's replacement. Returns its rows, and undefined when the rebuild is complete. */
export async function stepRebuild(conn: Conn, rebuild: Rebuild, watch: Watch): Promise<number | undefined> {
  const all = await readProgress(conn, rebuild.tables);
  const current = all.find(({ stage }) => stage === 'copy') ?? all.find(({ stage }) => stage === 'replace');
  if (current === undefined) {
    for (const name of rebuild.gone ?? []) await conn.run(dropTable(oldName(name), conn.engine), []);
    await dropProgress(conn);
    return undefined;
  }
  const { name, total } = current;
  const table = rebuild.tables.find((one) => one.name === name)!;
  if (current.stage === 'copy') {
    const next = await copyBatch(conn, table, current, watch.batch);
    await writeProgress(conn, next);
    const isNews = Math.floor(next.done / REPORT_EVERY) > Math.floor(current.done / REPORT_EVERY);
    const isDone = next.stage === 'replace' && total > 0;
    if (isDone || (isNews && next.done < total))
      watch.say('rows were copied', { migration: rebuild.name, table: name, done: next.done, rows: total });
    return next.done - current.done;
  }
  if (all.every(({ stage }) => stage === 'replace')) for (const one of all) await checkCopied(conn, one);
  await replace(conn, table, current);
  await writeProgress(conn, { ...current, stage: 'done' });
  if (total > 0) watch.say('a table has its new layout', { migration: rebuild.name, table: name });
  return total;
}
