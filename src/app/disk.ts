import { statfs } from 'node:fs/promises';
import { NoSpace } from '../base/errors.ts';
import type { OperatorWarning } from './clock-warning.ts';

const MIB = 1024 * 1024;

/** The write-ahead log alone may grow to 256 MiB before it is moved into the database. */
const LITTLE = 512 * MIB;

/** Below this the next request may fail. */
const NONE = 16 * MIB;

export type FreeSpace = (folder: string) => Promise<number>;

/** Bytes that this user may still write on the folder's disk. */
export const freeSpace: FreeSpace = async (folder) => {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
};

/** Whether the disk of the SQLite database has little space left. Throws NoSpace if it has next to none. */
export async function checkSpace(folder: string, free: FreeSpace = freeSpace): Promise<OperatorWarning | undefined> {
  const bytes = await free(folder);
  const left = `${Math.floor(bytes / MIB)} MiB are left on the disk of DATA_DIR`;
  if (bytes < NONE) throw new NoSpace(`${left}: make room before writes fail`);
  if (bytes < LITTLE) return { code: 'LITTLE_SPACE', message: `${left}: make room` };
  return undefined;
}
