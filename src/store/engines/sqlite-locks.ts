import { setTimeout } from 'node:timers/promises';
import Database from 'better-sqlite3';
import type { Conn } from '../statement.ts';

/** The number of tries for an operation that meets the lock of another program, and the pause between them. Together: five seconds. */
export const TRIES = 200;
export const PAUSE_MS = 25;

/** Another program, such as a `sqlite3` shell that writes, holds a lock of the file. */
export const isLocked = (error: unknown): boolean =>
  error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY');

/** Disables SQLite's own waiting, which would block this thread, and with it every other request. */
export const withoutWaiting = (db: Database.Database): unknown => db.pragma('busy_timeout = 0');

async function triedAgain<T>(work: () => T | Promise<T>): Promise<T> {
  for (let left = TRIES; ; left--) {
    await setTimeout(PAUSE_MS);
    try {
      return work();
    } catch (error) {
      if (left === 0 || !isLocked((error as Error).cause)) throw error;
    }
  }
}

/**
 * Repeats a read that meets a lock. Only the archive's readers meet one while another program writes. All readers meet one while a
 * program recovers a log.
 */
export function readAgain(all: Conn['all']): Conn['all'] {
  return (sql, parameters) => {
    try {
      return all(sql, parameters);
    } catch (error) {
      if (!isLocked((error as Error).cause)) throw error;
      return triedAgain<unknown[]>(() => all(sql, parameters));
    }
  };
}
