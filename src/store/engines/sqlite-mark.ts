import { closeSync, constants, openSync, readFileSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type Database from 'better-sqlite3';
import { DATABASE_FILE } from '../../base/files.ts';

/** The name of the file, beside the database, with the number of the last commit. */
export const MARK_FILE = 'countersign.mark';

/** Long enough for each number. */
const LENGTH = 12;

export type Mark = {
  /** Counts a commit, if the transaction has changed anything. Call it within the transaction. */
  count(): void;
  /** Writes the number to the file. Call it after the commit. */
  keep(): void;
  close(): void;
};

function marked(file: string): { number: number; at: Date } | undefined {
  try {
    const text = readFileSync(file, 'utf8').trim();
    return /^-?\d+$/.test(text) ? { number: Number(text), at: statSync(file).mtime } : undefined;
  } catch {
    return undefined;
  }
}

/** The number of the database's last commit. Throws if the file has a higher number: then the database lacks commits that were answered. */
export function refuseLost(db: Database.Database, folder: string): number {
  const file = join(folder, MARK_FILE);
  // The order matters: a service that runs beside this numbers a commit before it writes the file.
  const last = marked(file);
  const number = Number(db.pragma('user_version', { simple: true }));
  // The header has 32 bits, so the numbers wrap around after some months.
  const lost = last === undefined ? 0 : (last.number - number) | 0;
  if (lost > 0)
    throw new Error(
      `${join(folder, DATABASE_FILE)} lacks the last ${lost} commits, made until ${last!.at.toISOString()}: its write-ahead log ` +
        `(${DATABASE_FILE}-wal) was removed or replaced by an older copy. Put the original files back. ` +
        `If they are lost, remove ${file} to continue without these commits`,
    );
  return number;
}

/**
 * Numbers the commits in the database's header, and writes the last number to a file after each commit. The file is not synced. After a
 * power cut its number may be too low, and then lost commits are not detected.
 */
export function openMark(writer: Database.Database, folder: string): Mark {
  const file = join(folder, MARK_FILE);
  let number = refuseLost(writer, folder);
  const changes = writer.prepare('SELECT total_changes()').pluck();
  let seen = Number(changes.get());
  let handle: number | undefined;
  let kept = number;
  /** The number of the commit under way, which may fail. */
  let next = number;
  return {
    count() {
      next = number;
      const now = Number(changes.get());
      if (now === seen) return;
      seen = now;
      next = (number + 1) | 0;
      writer.exec(`PRAGMA user_version = ${next}`);
    },
    keep() {
      number = next;
      if (kept === number) return;
      try {
        handle ??= openSync(file, constants.O_WRONLY | constants.O_CREAT, 0o600);
        writeSync(handle, String(number).padEnd(LENGTH), 0);
        kept = number;
      } catch {
        // For example, the disk is full. An older number detects fewer lost commits.
      }
    },
    close() {
      if (handle !== undefined) closeSync(handle);
      handle = undefined;
    },
  };
}
