/** Pages that set-up built: the frames and the reference. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BUNDLES, demandPlace, isOfPresent } from './bundled.ts';

export const REFERENCE_FILE = 'reference.json';

/** A file of `.cache/bundle`. */
export type BuiltPages = {
  /** All that the pages were made of: paths from the root. */
  sources: string[];
  /** The digest of these. */
  madeOf: string;
  /** Of `files`. */
  digest: string;
  /** By name or path: `export.html`. */
  files: Readonly<Record<string, string>>;
};

/** Sorted by name alone, and without JSON: these are megabytes of text. */
export function digestOfFiles(files: BuiltPages['files']): string {
  const all = createHash('sha256');
  for (const name of Object.keys(files).sort()) all.update(`${name}\0${files[name]!.length}\0`).update(files[name]!);
  return all.digest('hex');
}

/**
 * The pages of the published package, which has the files alone at its root. Otherwise those that set-up built. Undefined if there are none:
 * a file that was cut off counts as none. `present`: only those of the sources as they are.
 */
export function builtPages(root: string, name: string, { present }: { present: boolean }): BuiltPages['files'] | undefined {
  const packaged = join(root, name);
  if (existsSync(packaged)) return JSON.parse(readFileSync(packaged, 'utf8'));
  const file = join(root, BUNDLES, name);
  if (!existsSync(file)) return undefined;
  demandPlace(root);
  try {
    const built = JSON.parse(readFileSync(file, 'utf8')) as BuiltPages;
    if (digestOfFiles(built.files) !== built.digest) return undefined;
    return !present || isOfPresent(root, built) ? built.files : undefined;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) return undefined;
    throw error;
  }
}
