/** Makes `.cache/bundle/frames.json`: the pages of frames/ as the service sends them, with the digest of their sources. */
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { build, type Plugin } from 'esbuild';
import { type BuiltPages, digestOfFiles } from '../src/app/built-pages.ts';
import { digestOf } from '../src/app/bundled.ts';
import { FRAMES_FILE, framesIn } from '../src/app/frames-built.ts';

const SCRIPTS = ['export', 'import', 'auth', 'sign'];
const TEXTS = [...SCRIPTS.map((name) => `${name}.html`), 'frames.css'];

/** The files of the frames by name. `read`: reads a source by its path from the root. */
export async function filesOfFrames(root: string, read: (path: string) => Buffer): Promise<BuiltPages['files']> {
  const ours: Plugin = {
    name: 'ours',
    setup: ({ onLoad }) =>
      onLoad({ filter: /\.ts$/ }, ({ path }) =>
        /[/\\]node_modules[/\\]/.test(path) ? undefined : { contents: read(relative(root, path)), loader: 'ts' },
      ),
  };
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: SCRIPTS.map((name) => `frames/${name}.ts`),
    outdir: 'frames',
    bundle: true,
    minify: true,
    platform: 'browser',
    format: 'iife',
    target: 'es2022',
    charset: 'utf8',
    logLevel: 'silent',
    write: false,
    plugins: [ours],
  });
  return Object.fromEntries([
    ...SCRIPTS.map((name, i): [string, string] => [`${name}.js`, outputFiles[i]!.text]),
    ...TEXTS.map((name): [string, string] => [name, read(`frames/${name}`).toString('utf8')]),
  ]);
}

/** `beside`: files that decide how sources are read. `put`: writes a file of the bundle's folder, whole or not at all. */
export async function makeFrames(
  root: string,
  beside: readonly string[],
  put: (name: string, content: string) => Promise<void>,
): Promise<void> {
  if (framesIn(root) !== undefined) return;
  /** As they were read: a file that is changed meanwhile makes the frames old. */
  const sources = new Map<string, Buffer>();
  const read = (path: string): Buffer => {
    const bytes = sources.get(path) ?? readFileSync(join(root, path));
    sources.set(path, bytes);
    return bytes;
  };
  for (const path of [...beside, 'scripts/bundle-frames.ts']) read(path);
  const files = await filesOfFrames(root, read);
  const paths = [...sources.keys()];
  const made: BuiltPages = {
    sources: paths,
    madeOf: digestOf(paths, (path) => sources.get(path)!),
    digest: digestOfFiles(files),
    files,
  };
  await put(FRAMES_FILE, JSON.stringify(made));
}
