import { NoSpace } from '../base/errors.ts';
import { freeBytes } from '../base/free-space.ts';
import type { OperatorWarning } from './clock-warning.ts';

const MIB = 1024 * 1024;

/** The write-ahead log alone may grow to 256 MiB before it is moved into the database. */
const LITTLE = 512 * MIB;

/** Below this the next request may fail. */
const NONE = 16 * MIB;

/** Whether the disk of the SQLite database has little space left. Throws NoSpace if it has next to none. */
export function checkSpace(folder: string, free = freeBytes): OperatorWarning | undefined {
  const bytes = free(folder);
  if (bytes === undefined) throw new Error('the free space on the disk of DATA_DIR is unknown');
  const left = `${Math.floor(bytes / MIB)} MiB are left on the disk of DATA_DIR`;
  if (bytes < NONE) throw new NoSpace(`${left}: make room before writes fail`);
  if (bytes < LITTLE) return { code: 'LITTLE_SPACE', message: `${left}: make room` };
  return undefined;
}
