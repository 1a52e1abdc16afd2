/**
 * Makes the bundle that the service runs (src/app/bundled.ts), if there is none of the present sources. Set-up runs it before programs that start
 * the service, with an environment that has no secrets. It exits 1 where no bundle can be made; the service then runs from its sources.
 */
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { BuildFailure, BuildOptions } from 'esbuild';
import { bundled, digestOf, MANIFESTS, type Manifest, type Program } from '../src/app/bundled.ts';
import { ours, PLUGIN } from './bundle/plugin.ts';
import { BESIDE, FOLDER, put, ROOT } from './bundle-place.ts';

/** Tests reach into the first by its address. The second has a bundle of its own. */
const APART = ['src/base/fail-point.ts', 'src/main.ts'];

const LOCK = 'package-lock.json';

/** Files that several versions may have at once have the digest of their content in the name. */
const HASHED = 'cli-[hash]';
const IS_HASHED = /^cli-\w+\.mjs$/;

/** `beside`: further sources. A command warns of a lock file that is newer than the packages, and then runs from the sources. */
type Build = { options: BuildOptions & { entryPoints: [string] }; beside: readonly string[] };
const BUILDS: Readonly<Record<Program, Build>> = {
  serve: { options: { entryPoints: ['src/serve.ts'] }, beside: [] },
  cli: {
    options: { entryPoints: ['src/cli/run.ts'], splitting: true, entryNames: HASHED, chunkNames: HASHED },
    beside: existsSync(join(ROOT, LOCK)) ? [LOCK] : [],
  },
};

const placeOf = (path: string) => relative(FOLDER, path).replaceAll('\\', '/');

/** The files of the bundle that is there, be it of other sources. */
function filesThere(program: Program): string[] {
  try {
    return (JSON.parse(readFileSync(join(FOLDER, MANIFESTS[program]), 'utf8')) as Manifest).files;
  } catch {
    return [];
  }
}

/** A command that runs may still load files of the last bundle, and of none before that. */
function removeOthers(files: readonly string[]): void {
  for (const name of readdirSync(FOLDER))
    if (IS_HASHED.test(name) && !files.includes(name)) rmSync(join(FOLDER, name), { force: true });
}

async function make(program: Program): Promise<void> {
  /** Paths from the root, and the bytes that the bundle is made of. */
  const sources = new Map<string, Uint8Array>();
  // Read first: packages that are installed meanwhile make it one of other sources.
  for (const path of [...BESIDE, ...BUILDS[program].beside]) sources.set(path, readFileSync(join(ROOT, path)));
  const { options } = BUILDS[program];
  const { build } = await import('esbuild');
  const { outputFiles, metafile } = await build({
    ...options,
    absWorkingDir: ROOT,
    outdir: FOLDER,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node22.18',
    logLevel: 'silent',
    metafile: true,
    write: false,
    plugins: [ours({ root: ROOT, placeOf, apart: APART, seen: (path, bytes) => sources.set(path, bytes) })],
  });
  const contents = new Map(outputFiles!.map((file) => [basename(file.path), file.contents]));
  const [entry] = options.entryPoints;
  const first = basename(Object.entries(metafile!.outputs).find(([, { entryPoint }]) => entryPoint === entry)![0]);
  const files = [first, ...[...contents.keys()].filter((name) => name !== first)];
  const paths = [...sources.keys()];
  const manifest: Manifest = {
    sources: paths,
    madeOf: digestOf(paths, (path) => sources.get(path)!),
    files,
    bundle: digestOf(files, (name) => contents.get(name)!),
  };
  const last = filesThere(program);
  // The first file loads others.
  for (const name of files.slice(1)) await put(name, contents.get(name)!);
  await put(first, contents.get(first)!, (file) => import(pathToFileURL(file).href));
  await put(MANIFESTS[program], JSON.stringify(manifest));
  if (program === 'cli') removeOthers([...files, ...last]);
  if (bundled(ROOT, program) === undefined) throw new Error('sources were changed meanwhile: run this again');
}

function isThere(program: Program): boolean {
  try {
    return bundled(ROOT, program) !== undefined;
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
await attempt(async () => (isThere('serve') ? undefined : make('serve')), 'the bundle is', runsFromSources);
const cli = async () => (isThere('cli') ? undefined : make('cli'));
const frames = async () => (await import('./bundle-frames.ts')).makeFrames(ROOT, BESIDE, put);
const reference = async () => (await import('./bundle-reference.ts')).makeReference(ROOT, BESIDE, put);
// One reason is enough, and most are those of all.
if (process.exitCode === undefined) await attempt(cli, 'the bundle of the command line is', 'each command starts a second later');
if (process.exitCode === undefined) await attempt(frames, 'the frames are', 'pages of apps cannot embed them');
if (process.exitCode === undefined) await attempt(reference, 'the reference is', 'the service has no page at /docs');
