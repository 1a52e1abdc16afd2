import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What Node.js keeps there for itself. */
const OF_THE_PLATFORM = new Set(['node-compile-cache']);

export interface TemporaryFolder {
  readonly path: string;
  /** Files that the tests should have removed. */
  leftovers(): string[];
  remove(): void;
}

/** A temporary folder for this run alone: os.tmpdir() of this process and of those that it starts. */
export function ownTemporaryFolder(): TemporaryFolder {
  const path = mkdtempSync(join(tmpdir(), 'countersign-test-'));
  // A PostgreSQL that may not run as root runs as somebody else, and has to get through to its own folder.
  chmodSync(path, 0o711);
  for (const name of ['TMPDIR', 'TEMP', 'TMP']) process.env[name] = path;
  return {
    path,
    leftovers: () => readdirSync(path).filter((name) => !OF_THE_PLATFORM.has(name)),
    remove: () => rmSync(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }),
  };
}
