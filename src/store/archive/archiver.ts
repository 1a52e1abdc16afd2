import { closeSync, existsSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { STATEMENT_LIMITS, type StatementLimits } from '../../base/database-url.ts';
import { DATABASE_FILE } from '../../base/files.ts';
import { openPostgres } from '../engines/postgres.ts';
import { connect, lockFolder, opened } from '../engines/sqlite.ts';
import { explained } from '../engines/sqlite-errors.ts';
import { checkMadeBy } from '../engines/sqlite-made-by.ts';
import { refuseLost } from '../engines/sqlite-mark.ts';
import { requireSchema } from '../migrations/migrate.ts';
import type { Conn } from '../statement.ts';
import { type Bounds, batches, type Chosen, cutoffOf } from './choose.ts';
import { MOVED } from './columns.ts';
import { ARCHIVE_FILE, attachArchive } from './file.ts';
import { makeMonths } from './postgres-months.ts';
import { moveOnPostgres } from './postgres-move.ts';
import { copyOnSqlite, removeOnSqlite } from './sqlite-move.ts';
import { raiseArchivedUntil } from './until.ts';

/** Moves finished activities out of `activities`. Each batch is durable in the archive before it is deleted. */
export type Archiver = {
  /** A description of the archive's location for the operator. */
  readonly archive: string;
  cutoff(before: number): Promise<number | undefined>;
  batches(cutoff: number, bounds: Bounds): AsyncGenerator<Chosen[]>;
  /** Returns how many activities of the batch were archived. */
  move(batch: readonly Chosen[], cutoff: number): Promise<number>;
  /** SQLite: returns free pages to the file system. Returns the size of the database file before and after. */
  compact?(): Promise<{ before: number; after: number }>;
  close(): Promise<void>;
};

/** `readOnly`: for counting only. The archiver then changes nothing, and may run beside a service. */
export type ArchiverOptions = {
  folder: string;
  url: string | undefined;
  readOnly: boolean;
  /** The record is shipped, which archiving must not overtake. */
  ships: boolean;
  statementLimits?: StatementLimits | undefined;
};

function openOnSqlite({ folder, readOnly, ships }: ArchiverOptions): Archiver {
  const file = join(folder, DATABASE_FILE);
  if (!existsSync(file)) throw new Error(`there is no database in ${folder}: check DATA_DIR`);
  checkMadeBy(file);
  const lock = readOnly ? undefined : lockFolder(folder);
  const archive = join(folder, ARCHIVE_FILE);
  const db = opened(file, (made) => {
    made.pragma('synchronous = FULL');
    if (readOnly) made.pragma('query_only = ON');
  });
  try {
    refuseLost(db, folder);
  } catch (error) {
    db.close();
    lock?.close();
    throw error;
  }
  const conn: Conn = connect(db, (error) => explained(error, folder));
  let isAttached = false;
  const attach = () => {
    if (isAttached) return;
    // The archive is readable by this user only, as the database is.
    closeSync(openSync(archive, 'a', 0o600));
    attachArchive(db, archive);
    isAttached = true;
  };
  const durably = async (work: () => Promise<void>): Promise<void> => {
    db.exec('BEGIN IMMEDIATE');
    try {
      await work();
      db.exec('COMMIT');
    } catch (error) {
      if (db.inTransaction) db.exec('ROLLBACK');
      throw error;
    }
  };
  return {
    archive,
    async cutoff(before) {
      await requireSchema(conn);
      return cutoffOf(conn, before, ships);
    },
    batches: (cutoff, bounds) => batches(conn, cutoff, bounds),
    async move(batch) {
      attach();
      // A commit does not span two files, so the copy must be durable before anything is deleted.
      await durably(() => copyOnSqlite(conn, batch));
      await durably(() => removeOnSqlite(conn, batch));
      return batch.length;
    },
    async compact() {
      const size = () => Number(db.pragma('page_count', { simple: true })) * Number(db.pragma('page_size', { simple: true }));
      const before = size();
      db.exec('VACUUM');
      db.pragma('wal_checkpoint(TRUNCATE)');
      return { before, after: size() };
    },
    async close() {
      db.close();
      lock?.close();
    },
  };
}

function openOnPostgres(url: string, { readOnly, ships, statementLimits = STATEMENT_LIMITS }: ArchiverOptions): Archiver {
  const { longStatementMs } = statementLimits;
  const driver = openPostgres(url, { poolSize: 2, statementMs: longStatementMs, longStatementMs, anyServer: readOnly });
  const { reader } = driver;
  return {
    archive: MOVED.map(({ to }) => to.name).join(', '),
    async cutoff(before) {
      await requireSchema(reader);
      return cutoffOf(reader, before, ships);
    },
    batches: (cutoff, bounds) => batches(reader, cutoff, bounds),
    move: (batch, cutoff) =>
      // No migration and no other archive command runs during this. Between batches they may.
      driver.underLock(
        async (transaction) => {
          // This is committed first. A record that names the older version is then refused before the bodies leave `activities`.
          await transaction(async (conn) => {
            await requireSchema(conn);
            await raiseArchivedUntil(conn, batch);
          });
          return transaction(async (conn) => {
            await makeMonths(conn, batch);
            return moveOnPostgres(conn, batch, cutoff);
          });
        },
        () => {},
      ),
    close: () => driver.close(),
  };
}

export const openArchiver = (options: ArchiverOptions): Archiver =>
  options.url === undefined ? openOnSqlite(options) : openOnPostgres(options.url, options);
