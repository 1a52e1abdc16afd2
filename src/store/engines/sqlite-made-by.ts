import { closeSync, existsSync, openSync, readSync } from 'node:fs';
import type Database from 'better-sqlite3';
import { KEEP_OR_START_ANEW } from '../migrations/known.ts';

/** "CSGN", in the header of each database since 0.2.0. Copies made by `VACUUM INTO`, `.backup` and `.recover` have it too. */
const APPLICATION_ID = 0x4353474e;

const HEADER = { bytes: 100, magic: 'SQLite format 3\0', applicationId: 68 };

/**
 * Throws if a development version before 0.2.0, or another program, made the file. This reads the bytes directly, because SQLite would
 * change the log beside the file. Call it before SQLite opens the file in this process: closing a file releases the process's locks on
 * it.
 */
export function checkMadeBy(file: string): void {
  if (!existsSync(file)) return;
  const header = Buffer.alloc(HEADER.bytes);
  const handle = openSync(file, 'r');
  try {
    if (readSync(handle, header, 0, HEADER.bytes, 0) < HEADER.bytes) return;
  } finally {
    closeSync(handle);
  }
  // If the file is no SQLite file at all, SQLite reports that.
  if (header.toString('latin1', 0, HEADER.magic.length) !== HEADER.magic) return;
  if (header.readInt32BE(HEADER.applicationId) === APPLICATION_ID) return;
  throw new Error(
    `${file} was made by a development version before 0.2.0, or by another program, and this program cannot read it. ${KEEP_OR_START_ANEW}`,
  );
}

/** Writes to the file itself, not to its log. Call it before the log is switched on. */
export function markMadeBy(db: Database.Database): void {
  if (db.pragma('application_id', { simple: true }) !== APPLICATION_ID) db.pragma(`application_id = ${APPLICATION_ID}`);
}
