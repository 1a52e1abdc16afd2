import { accessSync, chmodSync, constants, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What Node.js keeps there for itself, and an empty file that Chromium may leave when it ends. */
const OF_OTHERS = /^(?:node-compile-cache|\.org\.chromium\.Chromium\.\w+)$/;

export interface TemporaryFolder {
  readonly path: string;
  /** Files that the tests should have removed. */
  leftovers(): string[];
  remove(): void;
}

const MEMORY = '/dev/shm';
const ROOM_BYTES = 4 * 1024 ** 3;

/** A file system in memory where there is room: a disk's fsync would take an eighth of the run. */
function place(): string {
  try {
    accessSync(MEMORY, constants.W_OK);
    const { bavail, bsize } = statfsSync(MEMORY);
    if (process.env.TMPDIR === undefined && bavail * bsize >= ROOM_BYTES) return MEMORY;
  } catch {
    // Not on this system.
  }
  return tmpdir();
}

/** A temporary folder for this run alone: os.tmpdir() of this process and of those that it starts. */
export function ownTemporaryFolder(): TemporaryFolder {
  const path = mkdtempSync(join(place(), 'countersign-test-'));
  // PostgreSQL may not run as root. It runs as another user, who has to reach its own folder.
  chmodSync(path, 0o711);
  for (const name of ['TMPDIR', 'TEMP', 'TMP']) process.env[name] = path;
  return {
    path,
    leftovers: () => readdirSync(path).filter((name) => !OF_OTHERS.test(name)),
    remove: () => rmSync(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }),
  };
}
