/**
 * Makes the bundle that the service runs (src/app/bundled.ts), if there is none of the present sources. Set-up runs it before programs that start
 * the service, with an environment that has no secrets. It exits 1 where no bundle can be made; the service then runs from its sources.
 */
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { BuildFailure, OutputFile } from 'esbuild';
import { BUNDLE, BUNDLES, bundled, demandPlace, digestOf, MANIFEST, type Manifest, sha256 } from '../src/app/bundled.ts';
import { ours, PLUGIN } from './bundle/plugin.ts';

const ROOT = resolve(import.meta.dirname, '..');
const FOLDER = join(ROOT, BUNDLES);
/** Tests reach into this one by its address. */
const APART = 'src/base/fail-point.ts';
/** npm writes the first file at the end of an installation, with the digest of each package. The others decide how sources are read. */
const BESIDE = [
  'node_modules/.package-lock.json',
  'package.json',
  'tsconfig.json',
  'scripts/bundle.ts',
  'scripts/bundle/plugin.ts',
];

/** Paths from the root, and the bytes that the bundle is made of. */
const sources = new Map<string, Uint8Array>();

const placeOf = (path: string) => relative(FOLDER, path).replaceAll('\\', '/');

/** Whole, or not at all; what a power loss leaves of it is not run. `tried`: before it is there. */
async function put(name: string, content: Uint8Array | string, tried?: (file: string) => Promise<unknown>): Promise<void> {
  const beside = join(FOLDER, `.${process.pid}.mjs`);
  try {
    writeFileSync(beside, content, { mode: 0o644 });
    await tried?.(beside);
    renameSync(beside, join(FOLDER, name));
  } finally {
    rmSync(beside, { force: true });
  }
}

async function make(): Promise<void> {
  mkdirSync(FOLDER, { recursive: true, mode: 0o755 });
  demandPlace(ROOT);
  // Read first: packages that are installed meanwhile make it one of other sources.
  for (const path of BESIDE) sources.set(path, readFileSync(join(ROOT, path)));
  const { build } = await import('esbuild');
  const { outputFiles } = await build({
    absWorkingDir: ROOT,
    entryPoints: ['src/serve.ts'],
    outdir: FOLDER,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node22.18',
    logLevel: 'silent',
    write: false,
    plugins: [ours({ root: ROOT, placeOf, apart: APART, seen: (path, bytes) => sources.set(path, bytes) })],
  });
  const [{ contents }] = outputFiles as [OutputFile];
  const paths = [...sources.keys()];
  const manifest: Manifest = {
    sources: paths,
    madeOf: digestOf(paths, (path) => sources.get(path)!),
    bundle: sha256(contents),
  };
  await put(BUNDLE, contents, (file) => import(pathToFileURL(file).href));
  await put(MANIFEST, JSON.stringify(manifest));
  if (bundled(ROOT) === undefined) throw new Error('sources were changed meanwhile: run this again');
}

function isThere(): boolean {
  try {
    return bundled(ROOT) !== undefined;
  } catch {
    return false;
  }
}

/** In one line. */
function told(error: Error & Partial<BuildFailure>): string {
  const [first] = error.errors ?? [];
  if (first === undefined) return error.message.split('\n')[0]!;
  const { location, pluginName, text } = first;
  return location === null || pluginName === PLUGIN ? text.split('\n')[0]! : `${location.file}:${location.line}: ${text}`;
}

try {
  if (!isThere()) await make();
} catch (error) {
  process.stderr.write(
    `countersign: the bundle is not made (${told(error as Error)}): the service runs from its sources, and starts a second later\n`,
  );
  process.exitCode = 1;
}
