import { existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { limitConcurrency } from '../../base/concurrency.ts';
import { Busy, Damaged } from '../../base/errors.ts';
import { DATABASE_FILE, makeFolder } from '../../base/files.ts';
import { ARCHIVE_FILE, isMade } from '../archive/file.ts';
import { sqliteIdentity } from '../identity.ts';
import type { Conn } from '../statement.ts';
import type { EngineDriver } from './driver.ts';
import { GroupCommit } from './group-commit.ts';
import { startCheckpointer } from './sqlite-checkpoint.ts';
import { watchDamage } from './sqlite-damage.ts';
import { explained } from './sqlite-errors.ts';
import { readAgain, withoutWaiting } from './sqlite-locks.ts';
import { checkMadeBy, markMadeBy } from './sqlite-made-by.ts';
import { MARK_FILE, openMark } from './sqlite-mark.ts';
import { quickCheck } from './sqlite-quick-check.ts';
import { turnOfReads } from './sqlite-reads.ts';

/** Number of pages in the log after which the writer itself checkpoints, if the checkpoint thread cannot keep up. */
const CHECKPOINT_AT_LAST = 65_536;

/** The cache of the connection that reads while the writer has an open transaction. */
const SECOND_CACHE_MB = 8;

/**
 * This build of SQLite (SQLITE_ENABLE_STAT4) compares bound values with an index's statistics, and plans the query again for each value.
 * It does not examine the value of an expression. None of our plans depends on a value that is compared by `=`.
 */
export const plannedOnce = (sql: string): string => sql.replaceAll(/(=|\blimit) \?/gi, '$1 +?');

/** `explain`: explains a disk failure. */
export function connect(db: Database.Database, explain: (error: unknown) => unknown): Conn {
  const statements = new Map<string, Database.Statement>();
  const statement = (sql: string) => {
    let found = statements.get(sql);
    if (found === undefined) {
      found = db.prepare(plannedOnce(sql));
      statements.set(sql, found);
    }
    return found;
  };
  return {
    engine: 'sqlite',
    all(sql, parameters) {
      try {
        return statement(sql).all(...parameters);
      } catch (error) {
        throw explain(error);
      }
    },
    run(sql, parameters) {
      try {
        return statement(sql).run(...parameters).changes;
      } catch (error) {
        throw explain(error);
      }
    },
  };
}

/** Continues from the highest stored position. */
function positions(db: Database.Database): () => number {
  let last: number | undefined;
  return () => {
    last ??= db
      .prepare('SELECT max(ifnull((SELECT max(position) FROM activities), 0), ifnull((SELECT max(position) FROM audit), 0))')
      .pluck()
      .get() as number;
    return ++last;
  };
}

/** Adds the file name, which SQLite's errors lack. */
export function opened(file: string, setUp: (db: Database.Database) => void, options?: Database.Options): Database.Database {
  try {
    const db = new Database(file, options);
    setUp(db);
    return db;
  } catch (cause) {
    throw cannotUse(file, cause);
  }
}

function cannotUse(file: string, cause: unknown): unknown {
  const said = explained(cause, dirname(file));
  if (said instanceof Busy && !(said instanceof Damaged)) return said;
  return new Error(`${file} cannot be used: ${(cause as Error).message}`, { cause });
}

/**
 * The lock is held for the life of the process. The operating system releases it when the process dies, so it is never stale. Throws an
 * error that names the file if another process holds the lock.
 */
export function lockFolder(folder: string): Database.Database {
  const file = join(folder, 'countersign.lock');
  const lock = opened(file, () => {}, { timeout: 0 });
  try {
    lock.pragma('locking_mode = EXCLUSIVE');
    lock.exec('BEGIN EXCLUSIVE');
  } catch (cause) {
    lock.close();
    if ((cause as { code?: unknown }).code !== 'SQLITE_BUSY') throw cannotUse(file, cause);
    throw new Error(
      `another process already uses this data folder: it holds the lock ${file}. ` +
        'Stop it, choose another DATA_DIR, or set DATABASE_URL to share a PostgreSQL database',
    );
  }
  return lock;
}

/** Reads archived rows, if the archive is in the folder. The first read rolls back an interrupted write. */
function openArchive(folder: string): Database.Database | undefined {
  const file = join(folder, ARCHIVE_FILE);
  if (!existsSync(file)) return undefined;
  let hasTables = false;
  const db = opened(file, (db) => {
    hasTables = isMade(db, 'main');
    db.pragma('query_only = ON');
    withoutWaiting(db);
  });
  if (hasTables) return db;
  db.close();
  return undefined;
}

/** Releases the held resources if the start fails. */
function holding<T>(held: readonly Database.Database[], work: () => T): T {
  try {
    return work();
  } catch (error) {
    for (const one of held) one.close();
    throw error;
  }
}

/** Repeats reads that meet another program's lock. */
const patient = (conn: Conn): Conn => ({ ...conn, all: readAgain(conn.all) });

/** Reads with or without a running service: changes nothing and takes no lock. */
export function readSqlite(folder: string): { reader: Conn; close(): Promise<void> } {
  const file = join(folder, DATABASE_FILE);
  checkMadeBy(file);
  const db = opened(file, (made) => made.pragma('query_only = ON'), { fileMustExist: true });
  return {
    reader: connect(db, (error) => explained(error, folder)),
    async close() {
      db.close();
    },
  };
}

/**
 * One writer connection and one reader connection on a WAL file with synchronous=FULL. Jobs run one at a time. Many jobs share one
 * durable COMMIT, and no job resolves before it.
 */
export function openSqlite(folder: string, cacheMb: number, onTheirWay: () => number): EngineDriver {
  makeFolder(folder, true);
  const lock = lockFolder(folder);
  const file = join(folder, DATABASE_FILE);
  holding([lock], () => checkMadeBy(file));
  const archived = holding([lock], () => openArchive(folder));
  const bytes = existsSync(file) ? statSync(file).size : 0;
  const writer = opened(file, (db) => {
    markMadeBy(db);
    db.pragma('journal_mode = WAL');
    db.pragma('synchronous = FULL');
    // Deleted secrets must not remain in free pages.
    db.pragma('secure_delete = ON');
    db.pragma(`wal_autocheckpoint = ${CHECKPOINT_AT_LAST}`);
    db.pragma(`cache_size = ${-1024 * cacheMb}`);
    withoutWaiting(db);
  });
  const isMarked = existsSync(join(folder, MARK_FILE));
  const mark = holding([writer, lock], () => openMark(writer, folder));
  const reader = opened(file, (db) => {
    db.pragma('query_only = ON');
    // Each commit empties this cache.
    db.pragma(`cache_size = ${-1024 * Math.min(cacheMb, SECOND_CACHE_MB)}`);
    withoutWaiting(db);
  });

  const damage = watchDamage(folder);
  const archive = archived && patient(connect(archived, damage.explain));

  const checkpointer = startCheckpointer(file, damage.checkpointed);
  const write = { ...connect(writer, damage.explain), nextPosition: positions(writer), archive };
  const second = connect(reader, damage.explain);
  const turns = { writer: turnOfReads(writer), reader: turnOfReads(reader) };
  const endReads = () => {
    turns.writer.end();
    turns.reader.end();
  };
  // A commit on one connection empties the page cache of the other. So reads use the writer while it has no open transaction, because
  // all its rows are durable then. During a group they use the second connection.
  const read: Conn = patient({
    engine: 'sqlite',
    archive,
    all(sql, parameters) {
      const isWriting = jobs.isRunning();
      turns[isWriting ? 'reader' : 'writer'].begin();
      return (isWriting ? second : write).all(sql, parameters);
    },
    run: (sql, parameters) => second.run(sql, parameters),
  });
  const jobs = new GroupCommit(writer, write, mark, onTheirWay, endReads, damage.explain);
  const alone = limitConcurrency(1);
  return {
    engine: 'sqlite',
    reader: read,
    transaction: (work, patienceMs = 0) => jobs.run(work, true, { patienceMs }),
    write: (work) => jobs.run(work, false),
    exclusively: (work) => jobs.run(work, true, { alone: true }),
    underLock: (work) => alone(() => work((part) => jobs.run(part, true, { alone: true }))),
    identity: async () => sqliteIdentity(file, isMarked),
    damage: damage.found,
    quickCheck: { bytes, run: async (signal) => damage.checked(await quickCheck(file, signal)) },
    interrupt: () => {},
    async close() {
      await jobs.idle();
      await checkpointer.stop();
      endReads();
      archived?.close();
      reader.close();
      writer.close();
      mark.close();
      lock.close();
    },
  };
}
