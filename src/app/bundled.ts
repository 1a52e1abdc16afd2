/** The service and the command line as few files, made by set-up (scripts/bundle.ts, decisions 0057 and 0137). */
import { createHash } from 'node:crypto';
import { existsSync, lstatSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A file of `.cache/bundle/`. */
export type Manifest = {
  /** All that the bundle was made of: paths from the root. */
  sources: string[];
  /** The digest of these. */
  madeOf: string;
  /** The bundle, in the folder of this manifest. The first file is the one to import. */
  files: string[];
  /** The digest of these. */
  bundle: string;
};

export const BUNDLES = '.cache/bundle';

/** `cli`: a file for each command, and those that several share. Only commands that run load theirs. */
export type Program = 'serve' | 'cli';
export const MANIFESTS: Readonly<Record<Program, string>> = { serve: 'manifest.json', cli: 'cli.json' };

export const sha256 = (data: Uint8Array | string): string => createHash('sha256').update(data).digest('hex');

/** `read`: the content of a source, by its path from the root. */
export function digestOf(sources: readonly string[], read: (path: string) => Uint8Array): string {
  const all = createHash('sha256');
  for (const path of [...sources].sort()) all.update(`${path}\0${sha256(read(path))}\n`);
  return all.digest('hex');
}

/**
 * Throws unless bundles may be kept in their folder. Any user who may write there chooses the code that runs. So only users who may
 * write the sources may write it.
 */
export function demandPlace(root: string): void {
  const sources = statSync(join(root, 'src'));
  const trusted = [0, sources.uid, process.getuid?.()];
  const folder = join(root, BUNDLES);
  for (const path of [dirname(folder), folder]) {
    const found = lstatSync(path);
    if (!found.isDirectory()) throw new Error(`${path} is no folder`);
    const { uid, gid, mode } = found;
    const others = mode & ~sources.mode & 0o022;
    const otherGroup = (mode & 0o020) !== 0 && gid !== sources.gid;
    if (!trusted.includes(uid)) throw new Error(`${path} belongs to another user than the sources`);
    if (others !== 0 || otherGroup) throw new Error(`others may write ${path}, who may not write the sources`);
  }
}

const isNone = ({ code }: NodeJS.ErrnoException) => code === 'ENOENT' || code === 'ENOTDIR';

/** Whether a thing was made of the sources as they are. */
export function isOfPresent(root: string, { sources, madeOf }: Pick<Manifest, 'sources' | 'madeOf'>): boolean {
  try {
    return digestOf(sources, (path) => readFileSync(join(root, path))) === madeOf;
  } catch (error) {
    if (isNone(error as NodeJS.ErrnoException)) return false;
    throw error;
  }
}

function manifestIn(file: string): Manifest {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Manifest;
  } catch (cause) {
    throw new Error(`${file} cannot be read: ${(cause as Error).message}`, { cause });
  }
}

/** The bundle of the present sources; undefined if there is none. Throws if there is one that must not be run, and says why. */
export function bundled(root: string, program: Program): string | undefined {
  const folder = join(root, BUNDLES);
  const manifest = join(folder, MANIFESTS[program]);
  if (!existsSync(manifest)) return undefined;
  demandPlace(root);
  const made = manifestIn(manifest);
  if (!isOfPresent(root, made)) return undefined;
  const file = join(folder, made.files[0]!);
  if (digestOf(made.files, (name) => readFileSync(join(folder, name))) !== made.bundle) throw new Error(`${file} is damaged`);
  return file;
}
