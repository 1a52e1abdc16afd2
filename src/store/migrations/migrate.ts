import { type Conn, statement } from '../statement.ts';
import { type ModelOf, values } from '../table.ts';
import { migrations as table } from '../tables/instance.ts';
import { migrations, statementsOf } from './index.ts';
import { checkKnown, checkMigratable, KNOWN } from './known.ts';

const record = statement((db, p: ModelOf<typeof table>) => db.insertInto('migrations').values(values(table, p)));
const newest = statement((db) => db.selectFrom('migrations').select('version').orderBy('version', 'desc').limit(1));

const HAS_TABLE = {
  sqlite: "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'migrations'",
  postgres: "SELECT 1 WHERE to_regclass('migrations') IS NOT NULL",
};

/** The version of the newest migration in the database; 0 if there is none. */
async function versionIn(conn: Conn): Promise<number> {
  const isThere = (await conn.all(HAS_TABLE[conn.engine], [])).length > 0;
  return isThere ? Number((await newest.first(conn, {}))?.version ?? 0) : 0;
}

/** For a look at a database that may be older or empty: undefined if it has no schema. Throws for a schema that is not known. */
export async function knownVersion(conn: Conn): Promise<number | undefined> {
  const version = await versionIn(conn);
  checkMigratable(version);
  return version === 0 ? undefined : version;
}

/** Runs `work` as one durable transaction. All calls of one migration hold the same exclusive lock. */
export type Transaction = <T>(work: (conn: Conn) => Promise<T>) => Promise<T>;

/** Reports long migrations. */
export type Watch = {
  say(text: string, fields: Record<string, string | number>): void;
  everyMs: number;
};

/** Runs the next migration, and records it. False if the database has the schema `last`. `begins` receives its name. */
async function step(conn: Conn, now: number, last: number, begins: (name: string) => void): Promise<boolean> {
  const current = await versionIn(conn);
  checkMigratable(current);
  const next = migrations.find(({ version }) => version > current);
  if (next === undefined || next.version > last) return false;
  const { version, name } = next;
  begins(name);
  for (const sql of statementsOf(next, conn.engine)) await conn.run(sql, []);
  await record.run(conn, { version, name, appliedAt: now });
  return true;
}

/**
 * Migrates the database to this program's schema, under the engine's exclusive lock, with one transaction for each migration. A
 * database of a newer program, or of a development version before 0.2.0, is refused without changes. `last`: stops at that version.
 */
export async function migrate(transaction: Transaction, now: number, { say, everyMs }: Watch, last = KNOWN): Promise<void> {
  let migration = '';
  let waited = 0;
  // A statement over a large table may take long, and so may the wait for another program's lock on it.
  const beat = setInterval(() => {
    waited += everyMs;
    say('a migration of the database continues', { migration, seconds: waited / 1000 });
  }, everyMs);
  const begins = (name: string) => {
    migration = name;
  };
  try {
    while (await transaction((conn) => step(conn, now, last, begins)));
  } finally {
    clearInterval(beat);
  }
}

/** For commands beside the service. Unless the database has this program's schema, it throws an error with advice. */
export async function requireSchema(conn: Conn): Promise<void> {
  const version = await versionIn(conn);
  checkMigratable(version);
  if (version === 0) throw new Error('the database is empty: start the service once, which creates the tables');
  if (version !== KNOWN)
    throw new Error('the schema of the database is not that of this program: start the service of this program once');
}

/** For readiness. Throws if the database does not have this program's schema: Outdated if it has a newer one. */
export async function ensureMigrated(conn: Conn): Promise<void> {
  const version = Number((await newest.first(conn, {}))?.version ?? 0);
  checkKnown(version);
  if (version !== KNOWN) throw new Error('the database is not migrated to the schema of this program');
}
