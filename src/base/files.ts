import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** The name of the SQLite database in DATA_DIR. */
export const DATABASE_FILE = 'countersign.db';

/** Plain explanations of system error codes. */
const WHY: Readonly<Record<string, string>> = {
  EACCES: 'cannot be used by the user that runs this process: change its owner or permissions',
  EROFS: 'is on a file system that is read-only',
  EISDIR: 'is a folder, and must be a file',
  EEXIST: 'is a file, and must be a folder',
  ENOTDIR: 'cannot exist, because a part of its path is a file, not a folder',
  ENOENT: 'cannot be created, because its folder does not exist',
  ENOSPC: 'cannot be created, because the disk is full',
};

/** Rethrows system errors with the path and a plain explanation. */
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

/** Makes the names of a folder durable. */
export function syncFolder(folder: string): void {
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

/** Links a complete draft to its final name. False if another process was first, which may have removed the draft. */
function place(draft: string, file: string): boolean {
  try {
    linkSync(draft, file);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST' || (codeOf(error) === 'ENOENT' && readIfThere(file) !== undefined)) return false;
    throw error;
  }
}

/** Removes drafts once the file exists, including those from a crash. A process that still writes a draft will find the file. */
function sweepDrafts(file: string): void {
  const own = basename(file);
  const isDraft = (name: string) => name.startsWith(own) && /^\.[0-9a-f]{12}\.tmp$/.test(name.slice(own.length));
  try {
    for (const name of readdirSync(dirname(file)).filter(isDraft)) rmSync(join(dirname(file), name), { force: true });
  } catch {
    // A read-only folder, such as a mounted secret, cannot have our drafts.
  }
}

/**
 * Creates the file unless it exists, and returns its text. The file is never half-written. No drafts remain, not even from earlier
 * crashes. `unique`: 12 hex digits. `make` may throw to explain why the file is missing.
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

/**
 * Creates a file that only this user may read. False if the file exists, unless it is to be replaced. It is never half-written.
 * `unique`: 12 hex digits.
 */
export function createFile(file: string, text: string, unique: string, replace: boolean): boolean {
  return saying(file, () => {
    const draft = `${file}.${unique}.tmp`;
    try {
      writeSynced(draft, text);
      if (replace) renameSync(draft, file);
      else if (!place(draft, file)) return false;
    } finally {
      rmSync(draft, { force: true });
    }
    syncFolder(dirname(file));
    return true;
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

/** The `recursive` option of Node.js loops forever on a file system that refuses folders with ENOENT, such as /proc. */
function makeFolders(folder: string): void {
  if (existsSync(folder) && statSync(folder).isDirectory()) return;
  const above = dirname(folder);
  if (!existsSync(above)) makeFolders(above);
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if (codeOf(error) === 'ENOENT')
      throw new Error(`${folder} cannot be created: ${above} accepts no folders. Choose a folder on a disk`);
    // Another process may have been first.
    if (codeOf(error) !== 'EEXIST' || !statSync(folder).isDirectory()) throw error;
  }
}

/** Creates the folder if it is missing. `writable`: throws if this process cannot create files in it. */
export function makeFolder(folder: string, writable: boolean): void {
  saying(folder, () => {
    makeFolders(folder);
    if (writable) accessSync(folder, constants.W_OK | constants.X_OK);
  });
}
