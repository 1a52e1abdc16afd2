import { statfsSync } from 'node:fs';

/** The number of bytes that this user can still write in the folder's file system. Undefined if the file system does not report it. */
export function freeBytes(folder: string): number | undefined {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return undefined;
  }
}
