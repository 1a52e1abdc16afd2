import { builders } from '../builders.ts';
import { SQL_TYPES } from '../columns.ts';
import { type Conn, statement } from '../statement.ts';
import { type ModelOf, values } from '../table.ts';
import { migrations as table } from '../tables/instance.ts';
import { migrations, statementsOf } from './index.ts';
import { checkKnown, isNewer, KNOWN } from './known.ts';
import { isRebuild, type Migration } from './migration.ts';
import { beginRebuild, resumeRebuild, stepRebuild, type Watch } from './rebuild/run.ts';

const record = statement((db, p: ModelOf<typeof table>) => db.insertInto('migrations').values(values(table, p)));
const newest = statement((db) =>
  db.selectFrom('migrations').select(['version', 'applied_at']).orderBy('version', 'desc').limit(1),
);

/** `applied_at` of a migration that has begun: older programs see its version and refuse to start. */
const UNFINISHED = 0;

/** The newest migration in the database, if any. */
async function newestIn(conn: Conn): Promise<{ version: number; isFinished: boolean } | undefined> {
  const row = await newest.first(conn, {});
  return row && { version: Number(row.version), isFinished: Number(row.applied_at) !== UNFINISHED };
}

async function createTable(conn: Conn): Promise<void> {
  const { text, int } = SQL_TYPES[conn.engine];
  const made = builders[conn.engine].schema
    .createTable('migrations')
    .ifNotExists()
    .addColumn('version', int, (c) => c.primaryKey())
    .addColumn('name', text, (c) => c.notNull())
    .addColumn('applied_at', int, (c) => c.notNull());
  await conn.run(made.compile().sql, []);
}

/** Runs `work` as one durable transaction. All calls of one migration hold the same exclusive lock. */
export type Transaction = <T>(work: (conn: Conn) => Promise<T>) => Promise<T>;

/** `begins` hears which migration is next. */
type Watching = Watch & { begins(name: string): void };

/** Starts the next migration; returns the rows that its transaction has to go over, so that a large one begins with a commit. */
async function begin(conn: Conn, next: Migration, now: number, watch: Watching): Promise<number> {
  const { version, name } = next;
  watch.begins(name);
  if (isRebuild(next)) {
    const rows = await beginRebuild(conn, next, watch);
    await record.run(conn, { version, name, appliedAt: rows === 0 ? now : UNFINISHED });
    return rows;
  }
  for (const sql of statementsOf(next, conn.engine)) await conn.run(sql, []);
  await record.run(conn, { version, name, appliedAt: now });
  return 0;
}

/** The next step of all; returns its rows, and undefined if the database has this program's schema. */
async function step(conn: Conn, now: number, watch: Watching): Promise<number | undefined> {
  const last = await newestIn(conn);
  const current = last?.version ?? 0;
  if (current > KNOWN)
    throw new Error(`${isNewer(current)}: start the newer program that wrote it, or restore a backup made before it.`);
  if (last?.isFinished === false) {
    const rebuild = migrations.find(({ version }) => version === current);
    if (rebuild === undefined || !isRebuild(rebuild))
      throw new Error(`the database is in the middle of unknown migration ${current}`);
    const rows = await stepRebuild(conn, rebuild, watch);
    if (rows !== undefined) return rows;
    const done = builders[conn.engine]
      .updateTable('migrations')
      .set({ applied_at: now })
      .where('version', '=', current)
      .compile();
    await conn.run(done.sql, done.parameters);
    return 0;
  }
  const next = migrations.find(({ version }) => version > current);
  return next && begin(conn, next, now, watch);
}

/** Steps until they add up to one batch. True if there is more to do. */
async function oneTransaction(conn: Conn, now: number, watch: Watching): Promise<boolean> {
  for (let rows = 0; rows < watch.batch.rows; ) {
    const more = await step(conn, now, watch);
    if (more === undefined) return false;
    rows += more;
  }
  return true;
}

/**
 * Brings the database to this program's schema, under the engine's exclusive lock. A database of few rows takes one transaction.
 * A large one takes many, and what is left after an interruption is done by the next start. Refuses a newer schema.
 */
export async function migrate(transaction: Transaction, now: number, watch: Watch): Promise<void> {
  let migration = '';
  let waited = 0;
  const watching: Watching = {
    ...watch,
    begins: (name) => {
      migration = name;
    },
  };
  // A statement over a large table, or the lock that another program holds on it, may take long.
  const beat = setInterval(() => {
    waited += watch.everyMs;
    watch.say('a change of the database’s layout goes on', { migration, seconds: waited / 1000 });
  }, watch.everyMs);
  try {
    await transaction(async (conn) => {
      await createTable(conn);
      const last = await newestIn(conn);
      const interrupted = last?.isFinished === false ? migrations.find(({ version }) => version === last.version) : undefined;
      if (interrupted && isRebuild(interrupted)) await resumeRebuild(conn, interrupted, watch);
    });
    while (await transaction((conn) => oneTransaction(conn, now, watching)));
  } finally {
    clearInterval(beat);
  }
}

/** True once the database has this program's schema. */
export async function isMigrated(conn: Conn): Promise<boolean> {
  const last = await newestIn(conn);
  return last?.version === KNOWN && last.isFinished;
}

/** For readiness. Throws if the database does not have this program's schema: Outdated if it has a newer one. */
export async function ensureMigrated(conn: Conn): Promise<void> {
  checkKnown((await newestIn(conn))?.version ?? 0);
  if (!(await isMigrated(conn))) throw new Error('the database is not migrated to this program’s schema');
}
