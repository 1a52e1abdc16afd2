import Database from 'better-sqlite3';
import { Busy, NoSpace } from '../../base/errors.ts';
import { freeBytes } from '../../base/free-space.ts';

/** SQLite reports a quota, or too little space for its shared memory, as an I/O error. With less than this it is a lack of space. */
const NEXT_TO_NOTHING = 1024 * 1024;

const isFull = (folder: string): boolean => (freeBytes(folder) ?? NEXT_TO_NOTHING) < NEXT_TO_NOTHING;

/** Says what a failure of the disk is; other errors are returned unchanged. */
export function explained(error: unknown, folder: string): unknown {
  if (!(error instanceof Database.SqliteError)) return error;
  const { code } = error;
  const failed = code.startsWith('SQLITE_IOERR') || code === 'SQLITE_CANTOPEN';
  if (code === 'SQLITE_FULL' || (failed && isFull(folder)))
    return new NoSpace('no space is left on the disk of DATA_DIR', { cause: error });
  if (failed) return new Busy('the disk of DATA_DIR does not read or write', { cause: error });
  return error;
}
