/** The console as set-up built it (scripts/console/build.ts). */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { BUNDLES, demandPlace, isOfPresent, type Manifest, sha256 } from '../bundled.ts';

export const CONSOLE_FILE = 'console.json';
export const INDEX = 'index.html';
/** Files whose names have the hash of their content. */
export const HASHED = 'assets/';

export type ConsoleFile = {
  type: string;
  /** Base64 of the bytes, and of their packed forms where these are smaller. */
  plain: string;
  gzip?: string;
  br?: string;
};

export type BuiltConsole = {
  /** By path below /console/. */
  files: Readonly<Record<string, ConsoleFile>>;
  /** The hashes of style elements that a library adds, as a Content-Security-Policy names them. */
  styles: readonly string[];
  /** The files that the first page loads, and those that each other page loads besides. */
  loads: { first: string[]; later: Readonly<Record<string, string[]>> };
};

/** `.cache/bundle/console.json`. */
export type ConsoleBuild = Pick<Manifest, 'sources' | 'madeOf'> & { digest: string; built: BuiltConsole };

export const digestOfConsole = (built: BuiltConsole): string => sha256(JSON.stringify(built));

/** The published package has the file at its root, without the sources. */
export const consoleFile = (root: string): string => {
  const packaged = join(root, CONSOLE_FILE);
  return existsSync(packaged) ? packaged : join(root, BUNDLES, CONSOLE_FILE);
};

/** Changes when another build is put in place. Undefined: there is none. */
export function buildIn(root: string): string | undefined {
  const found = statSync(consoleFile(root), { throwIfNoEntry: false });
  return found && `${found.ino} ${found.size} ${found.mtimeMs}`;
}

/** The console of the present sources, since a page that stamps must be the one that they say. Undefined if there is none. */
export function consoleIn(root: string): BuiltConsole | undefined {
  const file = consoleFile(root);
  if (!existsSync(file)) return undefined;
  const isPackaged = file === join(root, CONSOLE_FILE);
  if (!isPackaged) demandPlace(root);
  try {
    const { built, digest, ...made } = JSON.parse(readFileSync(file, 'utf8')) as ConsoleBuild;
    if (digestOfConsole(built) !== digest) return undefined;
    return isPackaged || isOfPresent(root, made) ? built : undefined;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) return undefined;
    throw error;
  }
}
