/**
 * Makes `.cache/bundle/frames.json`: the pages of frames/ as the service sends them, with the digest of their sources. As in
 * `bundle-reference.ts`, what makes them is loaded late.
 */
import type { BuiltPages } from '../src/app/built-pages.ts';
import { FRAMES_FILE, framesIn } from '../src/app/frames-built.ts';
import { FOR_BROWSERS, readBy, sourcesIn } from './bundle/browser.ts';

const SCRIPTS = ['export', 'import', 'auth', 'sign'];
const TEXTS = [...SCRIPTS.map((name) => `${name}.html`), 'frames.css'];

/** The files of the frames by name. `read`: reads a source by its path from the root. */
export async function filesOfFrames(root: string, read: (path: string) => Buffer): Promise<BuiltPages['files']> {
  const { build } = await import('esbuild');
  const { outputFiles } = await build({
    ...FOR_BROWSERS,
    absWorkingDir: root,
    entryPoints: SCRIPTS.map((name) => `frames/${name}.ts`),
    outdir: 'frames',
    format: 'iife',
    plugins: [readBy(root, read)],
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
  const { read, made } = sourcesIn(root);
  for (const path of [...beside, 'scripts/bundle-frames.ts', 'scripts/bundle/browser.ts']) read(path);
  await put(FRAMES_FILE, JSON.stringify(made(await filesOfFrames(root, read))));
}
