import Database from 'better-sqlite3';
import { Busy, Damaged, NoSpace } from '../../base/errors.ts';
import { freeBytes } from '../../base/free-space.ts';
import { isLocked } from './sqlite-locks.ts';

/**
 * SQLite reports an exceeded quota, or too little space for its shared memory, as an I/O error. With less free space than this, it
 * counts as a lack of space.
 */
const NEXT_TO_NOTHING = 1024 * 1024;

/** The file is damaged, or the disk cannot read it. A write error is no damage: the next write shows whether the condition has ended. */
const DAMAGE = /^SQLITE_(CORRUPT|NOTADB|IOERR_(READ|SHORT_READ|CORRUPTFS|DATA)$)/;

const isFull = (folder: string): boolean => (freeBytes(folder) ?? NEXT_TO_NOTHING) < NEXT_TO_NOTHING;

export const damaged = (cause: Error): Damaged =>
  new Damaged('the database is damaged, or its disk cannot be read: stop the service, and restore a backup', { cause });

/** Explains a disk failure. Other errors are returned unchanged. */
export function explained(error: unknown, folder: string): unknown {
  if (!(error instanceof Database.SqliteError)) return error;
  const { code } = error;
  const failed = code.startsWith('SQLITE_IOERR') || code === 'SQLITE_CANTOPEN';
  if (code === 'SQLITE_FULL' || (failed && isFull(folder)))
    return new NoSpace('no space is left on the disk of DATA_DIR', { cause: error });
  if (DAMAGE.test(code)) return damaged(error);
  if (failed) return new Busy('the disk of DATA_DIR failed', { cause: error });
  if (isLocked(error)) return new Busy('another program holds the lock of the database in DATA_DIR', { cause: error });
  return error;
}
