import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { ConfigError } from '../config.ts';

/** Packages that only some settings need. Nothing installs them by itself. `compiles`: from C++, on the operator's machine. */
const OPTIONAL_PACKAGES = {
  '@aws-sdk/client-kms': { version: '3.1164.0', compiles: false },
  '@opentelemetry/exporter-trace-otlp-proto': { version: '0.301.1', compiles: false },
  pkcs11js: { version: '2.1.7', compiles: true },
} as const;

export type OptionalPackage = keyof typeof OPTIONAL_PACKAGES;

/** They have a folder of their own, which an update of the service leaves as it is. */
const FOLDER = fileURLToPath(new URL('../../optional/', import.meta.url));

/** The published package cannot have one: npm replaces what is in it. There, optional packages are beside it. */
const IS_PUBLISHED = /[\\/]node_modules[\\/]/.test(FOLDER);

/** The command that installs one. */
export function installCommand(name: OptionalPackage, isPublished = IS_PUBLISHED): string {
  const { version, compiles } = OPTIONAL_PACKAGES[name];
  const place = isPublished ? '' : ' --prefix optional';
  const build = compiles ? ` && npm rebuild${place} --ignore-scripts=false ${name}` : '';
  return `npm install${place} --ignore-scripts ${name}@${version}${build}`;
}

const WHERE = IS_PUBLISHED ? 'In the folder in which countersign was installed' : "In the service's folder";

/** The file to load: of the optional folder, or else of the service's own packages. */
function fileOf(name: OptionalPackage): string | undefined {
  for (const from of [`${FOLDER}package.json`, import.meta.url])
    try {
      return createRequire(from).resolve(name);
    } catch {}
  return undefined;
}

/** `through`: from a package to one that it came with, and so on. */
function fileThrough(name: OptionalPackage, through: readonly string[]): string | undefined {
  return through.reduce((from, part) => from && createRequire(from).resolve(part), fileOf(name));
}

/** Loads one, or a package that came with it. `setting`: needs it. */
export async function optionalPackage<T>(name: OptionalPackage, setting: string, through: readonly string[] = []): Promise<T> {
  const failed = (why: string) =>
    new ConfigError(`${setting} needs the package ${name}, which ${why}. ${WHERE}, run: ${installCommand(name)}`);
  if (fileOf(name) === undefined) throw failed('is not installed');
  try {
    const file = fileThrough(name, through)!;
    const loaded = await import(pathToFileURL(file).href);
    return (loaded.default ?? loaded) as T;
  } catch (error) {
    throw failed(`cannot be loaded (${(error as Error).message})`);
  }
}
