import {
  accessSync,
  closeSync,
  constants,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** What the system's own words leave a reader to guess. */
const WHY: Readonly<Record<string, string>> = {
  EACCES: 'may not be used by this user',
  EROFS: 'is on a file system that is read-only',
  EISDIR: 'is a folder, and must be a file',
  EEXIST: 'is a file, and must be a folder',
  ENOTDIR: 'cannot be there, because a part of its path is a file and no folder',
  ENOENT: 'cannot be made, because its folder does not exist',
  ENOSPC: 'cannot be made, because the disk is full',
};

/** Errors of the system name the path and say in words what is wrong with it. */
function saying<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    const { code = '', message, syscall } = cause as NodeJS.ErrnoException;
    if (syscall === undefined) throw cause;
    throw new Error(`${path} ${WHY[code] ?? `cannot be used: ${message}`}`, { cause });
  }
}

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code;

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

/** Links a whole draft to its name; false where somebody was first, who may have swept the draft away. */
function place(draft: string, file: string): boolean {
  try {
    linkSync(draft, file);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST' || (codeOf(error) === 'ENOENT' && readIfThere(file) !== undefined)) return false;
    throw error;
  }
}

/** Once the file is there, a draft of it is of no use: who still writes one will find the file. A crash may have left one. */
function sweepDrafts(file: string): void {
  const own = basename(file);
  const isDraft = (name: string) => name.startsWith(own) && /^\.[0-9a-f]{12}\.tmp$/.test(name.slice(own.length));
  try {
    for (const name of readdirSync(dirname(file)).filter(isDraft)) rmSync(join(dirname(file), name), { force: true });
  } catch {
    // A folder that may only be read, such as a mounted secret: nothing of ours was ever written there.
  }
}

/**
 * Makes the file unless somebody was first; answers with what the file holds. Never a half-written file, and no drafts are
 * left, not by a crash before either. `unique`: 12 hex digits. `make` may throw to say why there is none.
 */
export function createOrReadFile(file: string, make: () => string, unique: string): { text: string; created: boolean } {
  return saying(file, () => {
    const existing = readIfThere(file);
    let created = false;
    if (existing === undefined) {
      const draft = `${file}.${unique}.tmp`;
      try {
        writeSynced(draft, make());
        created = place(draft, file);
      } finally {
        rmSync(draft, { force: true });
      }
      if (created) syncFolder(dirname(file));
    }
    sweepDrafts(file);
    return { text: existing ?? readFileSync(file, 'utf8'), created };
  });
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Makes the folder where it is missing. `writable`: refuses one in which this process may not make files. */
export function makeFolder(folder: string, writable: boolean): void {
  saying(folder, () => {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    if (writable) accessSync(folder, constants.W_OK | constants.X_OK);
  });
}
