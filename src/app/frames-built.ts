/** The frames as set-up built them (scripts/bundle-frames.ts). */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BUNDLES, demandPlace, isOfPresent, sha256 } from './bundled.ts';

/** `.cache/bundle/frames.json`. */
export type BuiltFrames = {
  /** All that the frames were made of: paths from the root. */
  sources: string[];
  /** The digest of these. */
  madeOf: string;
  /** Of `files`. */
  digest: string;
  /** By name: `export.html`. */
  files: Readonly<Record<string, string>>;
};

/** The published package has the files alone, at its root. */
export const FRAMES_FILE = 'frames.json';

export const digestOfFiles = (files: BuiltFrames['files']): string => sha256(JSON.stringify(Object.entries(files).sort()));

/** The frames of the published package, or of the present sources. Undefined if there are none: a file that was cut off counts as none. */
export function framesIn(root: string): BuiltFrames['files'] | undefined {
  const packaged = join(root, FRAMES_FILE);
  if (existsSync(packaged)) return JSON.parse(readFileSync(packaged, 'utf8'));
  const file = join(root, BUNDLES, FRAMES_FILE);
  if (!existsSync(file)) return undefined;
  demandPlace(root);
  try {
    const built = JSON.parse(readFileSync(file, 'utf8')) as BuiltFrames;
    return isOfPresent(root, built) && digestOfFiles(built.files) === built.digest ? built.files : undefined;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) return undefined;
    throw error;
  }
}
