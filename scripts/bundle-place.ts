/** Where the parts of the bundle are kept, and how. */
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { BUNDLES, demandPlace } from '../src/app/bundled.ts';

export const ROOT = resolve(import.meta.dirname, '..');
export const FOLDER = join(ROOT, BUNDLES);

/** npm writes the first file at the end of an installation, with the digest of each package. The others decide how sources are read. */
export const BESIDE = [
  'node_modules/.package-lock.json',
  'package.json',
  'tsconfig.json',
  'scripts/bundle.ts',
  'scripts/bundle/plugin.ts',
];

/** Whole, or not at all; what a power loss leaves of it is not run. `tried`: before it is there. */
export async function put(name: string, content: Uint8Array | string, tried?: (file: string) => Promise<unknown>): Promise<void> {
  mkdirSync(FOLDER, { recursive: true, mode: 0o755 });
  demandPlace(ROOT);
  const beside = join(FOLDER, `.${process.pid}.mjs`);
  try {
    writeFileSync(beside, content, { mode: 0o644 });
    await tried?.(beside);
    renameSync(beside, join(FOLDER, name));
  } finally {
    rmSync(beside, { force: true });
  }
}
