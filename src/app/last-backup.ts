import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Reader } from '../store/types.ts';

/** A row of the instance, on PostgreSQL: copies are also made on other machines. */
export const LAST_BACKUP = 'lastBackupAt';
/** Its file in DATA_DIR, on SQLite: beside a service, no other process writes to the database. */
export const LAST_BACKUP_FILE = 'last-backup';

/** When the youngest copy was begun; undefined if there is none. A row and a file: a copy of SQLite may be restored on PostgreSQL. */
async function lastBackup(dataDir: string, read: Reader): Promise<number | undefined> {
  const times = [await read.instance.get(LAST_BACKUP)];
  try {
    times.push(readFileSync(join(dataDir, LAST_BACKUP_FILE), 'utf8').slice(0, 20));
  } catch {}
  const known = times.map(Number).filter((time) => Number.isSafeInteger(time) && time > 0);
  return known.length === 0 ? undefined : Math.max(...known);
}

/** For how long an instance has had no newer copy, in milliseconds. Without a copy, it counts from the first start. */
export async function unsavedFor(dataDir: string, read: Reader, now: number): Promise<{ copied: boolean; ms: number }> {
  const at = await lastBackup(dataDir, read);
  const [first] = await read.instance.masterKeys();
  return { copied: at !== undefined, ms: Math.max(now - (at ?? first?.createdAt ?? now), 0) };
}
