/**
 * Makes the bundle that the service runs (src/app/bundled.ts), if there is none of the present sources. Set-up runs it before programs that start
 * the service, with an environment that has no secrets. It exits 1 where no bundle can be made; the service then runs from its sources.
 */
import { readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { BuildFailure, OutputFile, Plugin } from 'esbuild';
import { BUNDLE, bundled, digestOf, MANIFEST, type Manifest, sha256 } from '../src/app/bundled.ts';
import { BESIDE, FOLDER, put, ROOT } from './bundle-place.ts';

/** JavaScript in many files. Other packages stay where they are: they have binary parts, are one file, or are seldom needed. */
const INCLUDED = /^(?:@bufbuild|@noble|@scure|kysely|zod)(?:\/|$)/;
/** Tests reach into this one by its address. */
const APART = 'src/base/fail-point.ts';
/** `import` would read each of its members, and some of them load all of fetch(), which takes a twentieth of a start. */
const HTTP = "module.exports = process.getBuiltinModule('node:http');";

/** Paths from the root, and the bytes that the bundle is made of. */
const sources = new Map<string, Uint8Array>();

const fromBundle = (path: string) => relative(FOLDER, path).replaceAll('\\', '/');

/** What a file says of its own place stays true of the source. */
function placed(text: string, path: string): string {
  if (/import\.meta\b(?!\.(?:url|dirname)\b)/.test(text))
    throw new Error(`${path}: of import.meta, a bundle knows url and dirname alone`);
  return text
    .replaceAll('import.meta.url', () => `new URL(${JSON.stringify(fromBundle(path))}, import.meta.url).href`)
    .replaceAll('import.meta.dirname', () => `(import.meta.dirname + ${JSON.stringify(`/${fromBundle(dirname(path))}`)})`);
}

const CLASS = /^(?:export )?(?:abstract )?class (\w+)/gm;

/** The log names the classes of errors, and a bundle gives others to some: those that name themselves, or the second of a name. */
function named(text: string): string {
  const names = Array.from(text.matchAll(CLASS), ([, name]) => name!);
  // A text may have such a line too.
  const renamed = names.map(
    (name) => `typeof ${name} === 'function' && Object.defineProperty(${name}, 'name', { value: '${name}' });`,
  );
  return [text, ...renamed].join('\n');
}

const ours: Plugin = {
  name: 'ours',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:http$/ }, ({ path }) => ({ path, namespace: 'apart' }));
    onLoad({ filter: /^node:http$/, namespace: 'apart' }, () => ({ contents: HTTP }));
    onResolve({ filter: /^[^./]/ }, ({ path, kind }) =>
      kind === 'entry-point' || INCLUDED.test(path) ? undefined : { path, external: true },
    );
    onResolve({ filter: /fail-point\.ts$/ }, ({ path, resolveDir }) =>
      resolve(resolveDir, path) === join(ROOT, APART) ? { path: fromBundle(join(ROOT, APART)), external: true } : undefined,
    );
    onLoad({ filter: /./ }, ({ path }) => {
      if (/[/\\]node_modules[/\\]/.test(path)) return undefined;
      if (!path.endsWith('.ts')) throw new Error(`${path}: of our own, a bundle has TypeScript alone`);
      const bytes = readFileSync(path);
      sources.set(relative(ROOT, path), bytes);
      return { contents: named(placed(bytes.toString('utf8'), path)), loader: 'ts' };
    });
  },
};

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
    plugins: [ours],
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
  return location === null || pluginName === ours.name ? text.split('\n')[0]! : `${location.file}:${location.line}: ${text}`;
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
// One reason is enough, and most are those of both.
if (process.exitCode === undefined) await attempt(frames, 'the frames are', 'pages of apps cannot embed them');
