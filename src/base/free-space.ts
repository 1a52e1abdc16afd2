import { statfsSync } from 'node:fs';

/** Bytes that this user may still write where the folder is; undefined if the file system does not say. */
export function freeBytes(folder: string): number | undefined {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return undefined;
  }
}
