import { closeSync, fsyncSync, linkSync, openSync, readFileSync, unlinkSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

function syncFolder(folder: string): void {
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

function writeSynced(file: string, text: string): void {
  const handle = openSync(file, 'wx', 0o600);
  try {
    writeSync(handle, text);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** Makes the file unless somebody was first; answers with what the file holds. Never a half-written file. */
export function createOrReadFile(file: string, make: () => string, unique: string): { text: string; created: boolean } {
  const existing = readIfThere(file);
  if (existing !== undefined) return { text: existing, created: false };
  const text = make();
  const draft = `${file}.${unique}.tmp`;
  writeSynced(draft, text);
  try {
    linkSync(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return { text: readFileSync(file, 'utf8'), created: false };
  } finally {
    unlinkSync(draft);
  }
  syncFolder(dirname(file));
  return { text, created: true };
}

export function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
