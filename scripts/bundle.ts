/**
 * Makes the bundle that the service runs (src/app/bundled.ts), if there is none of the present sources. Set-up runs it before programs that start
 * the service, with an environment that has no secrets. It exits 1 where no bundle can be made; the service then runs from its sources.
 */
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { BuildFailure, OutputFile } from 'esbuild';
import { BUNDLE, bundled, digestOf, MANIFEST, type Manifest, sha256 } from '../src/app/bundled.ts';
import { ours, PLUGIN } from './bundle/plugin.ts';
import { BESIDE, FOLDER, put, ROOT } from './bundle-place.ts';

/** Tests reach into this one by its address. */
const APART = 'src/base/fail-point.ts';

/** Paths from the root, and the bytes that the bundle is made of. */
const sources = new Map<string, Uint8Array>();

const placeOf = (path: string) => relative(FOLDER, path).replaceAll('\\', '/');

async function make(): Promise<void> {
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

async function attempt(work: () => Promise<void>, what: string, without: string): Promise<void> {
  try {
    await work();
  } catch (error) {
    process.stderr.write(`countersign: ${what} not made (${told(error as Error)}): ${without}\n`);
    process.exitCode = 1;
  }
}

const runsFromSources = 'the service runs from its sources, and starts a second later';
await attempt(async () => (isThere() ? undefined : make()), 'the bundle is', runsFromSources);
const frames = async () => (await import('./bundle-frames.ts')).makeFrames(ROOT, BESIDE, put);
const reference = async () => (await import('./bundle-reference.ts')).makeReference(ROOT, BESIDE, put);
// One reason is enough, and most are those of all.
if (process.exitCode === undefined) await attempt(frames, 'the frames are', 'pages of apps cannot embed them');
if (process.exitCode === undefined) await attempt(reference, 'the reference is', 'the service has no page at /docs');
