/** The service as one file in place of a thousand, made by set-up (scripts/bundle.ts, decision 0057). */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, realpathSync, type Stats, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** `.cache/bundle/manifest.json`. */
export type Manifest = {
  /** The service's own sources: paths from the root. */
  sources: string[];
  /** The digest of everything that the bundle was made of. */
  madeOf: string;
  /** SHA-256 of the bundle. */
  bundle: string;
};

export const BUNDLES = '.cache/bundle';
export const BUNDLE = 'serve.mjs';
export const MANIFEST = 'manifest.json';
/** npm writes the first file at the end of an installation, with the digest of each package. The others decide how sources are read. */
const BESIDE = ['node_modules/.package-lock.json', 'package.json', 'tsconfig.json', 'scripts/bundle.ts'];

export const sha256 = (data: Uint8Array | string): string => createHash('sha256').update(data).digest('hex');

/** `read`: the content of a source, by its path from the root. */
export function digestOf(root: string, sources: readonly string[], read: (path: string) => Uint8Array): string {
  const all = createHash('sha256');
  for (const path of [...sources].sort()) all.update(`${path}\0${sha256(read(path))}\n`);
  for (const path of BESIDE) all.update(`${path}\0${sha256(readFileSync(join(root, path)))}\n`);
  return all.digest('hex');
}

/**
 * Any user who may write a file or folder of the bundle chooses the code that runs. So only users who may write the sources may
 * write it.
 */
function demandTrusted(path: string, sources: Stats): void {
  const own = process.getuid?.();
  if (own === undefined) return;
  const { uid, gid, mode } = statSync(path);
  if (![0, own, sources.uid].includes(uid)) throw new Error(`${path} belongs to another user than the sources`);
  const others = mode & ~sources.mode & 0o022;
  if (others !== 0 || ((mode & 0o020) !== 0 && gid !== sources.gid))
    throw new Error(`others may write ${path}, who may not write the sources`);
}

const sourcesOf = (root: string) => statSync(join(root, 'src'));

/** Throws unless bundles may be kept in their folder, and says why. */
export function demandPlace(root: string): void {
  const folder = join(root, BUNDLES);
  if (realpathSync(folder) !== folder)
    throw new Error(`${folder} is behind a symbolic link, and would find neither sources nor packages`);
  for (const path of [dirname(folder), folder]) {
    demandTrusted(path, sourcesOf(root));
    // Packages are looked for there before the root.
    if (existsSync(join(path, 'node_modules')))
      throw new Error(`${path} has packages, which are none of the service: remove them`);
  }
}

const isNone = ({ code }: NodeJS.ErrnoException) => code === 'ENOENT' || code === 'ENOTDIR';

function isOfPresent(root: string, { sources, madeOf }: Manifest): boolean {
  try {
    return digestOf(root, sources, (path) => readFileSync(join(root, path))) === madeOf;
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
export function bundled(root: string): string | undefined {
  const folder = join(root, BUNDLES);
  const [manifest, file] = [join(folder, MANIFEST), join(folder, BUNDLE)];
  if (!existsSync(manifest)) return undefined;
  demandPlace(root);
  for (const path of [manifest, file]) demandTrusted(path, sourcesOf(root));
  const made = manifestIn(manifest);
  if (!isOfPresent(root, made)) return undefined;
  if (realpathSync(file) !== file)
    throw new Error(`${file} is behind a symbolic link, and would find neither sources nor packages`);
  if (sha256(readFileSync(file)) !== made.bundle) throw new Error(`${file} is damaged`);
  return file;
}
