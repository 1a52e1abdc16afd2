/** Makes `.cache/bundle/reference.json`: the pages at /docs as the service sends them, with the digest of their sources. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { CHAPTERS } from '../reference/build/chapters.ts';
import { DATA, referenceOf } from '../reference/build/reference.ts';
import { type BuiltPages, builtPages, digestOfFiles } from '../src/app/built-pages.ts';
import { digestOf } from '../src/app/bundled.ts';
import { REFERENCE_FILE } from '../src/app/reference.ts';

export const STYLE = 'reference/page/reference.css';

/** One script out of a file of `reference/page`. */
export async function scriptOf(root: string, entry: string): Promise<string> {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: [`reference/page/${entry}`],
    bundle: true,
    minify: true,
    platform: 'browser',
    format: 'iife',
    target: 'es2022',
    charset: 'utf8',
    logLevel: 'silent',
    write: false,
  });
  return outputFiles[0]!.text;
}

/** The reference by path. `read`: reads a source by its path from the root. */
export async function filesOfReference(root: string, read: (path: string) => string): Promise<BuiltPages['files']> {
  return {
    ...referenceOf(read),
    '/docs/reference.css': read(STYLE),
    '/docs/reference.js': await scriptOf(root, 'page.ts'),
  };
}

/** `beside`: files that decide how sources are read. `put`: writes a file of the bundle's folder, whole or not at all. */
export async function makeReference(
  root: string,
  beside: readonly string[],
  put: (name: string, content: string) => Promise<void>,
): Promise<void> {
  if (builtPages(root, REFERENCE_FILE, { present: true }) !== undefined) return;
  const own = globSync('reference/**/*.{ts,css}', { cwd: root });
  const paths = [
    ...new Set([...beside, 'scripts/bundle-reference.ts', ...own, ...Object.values(DATA), ...CHAPTERS.map(([file]) => file)]),
  ];
  /** As they were read first: a file that is changed meanwhile makes the reference old. */
  const sources = new Map(paths.map((path) => [path, readFileSync(join(root, path))]));
  const files = await filesOfReference(root, (path) => sources.get(path)!.toString('utf8'));
  const built: BuiltPages = {
    sources: paths,
    madeOf: digestOf(paths, (path) => sources.get(path)!),
    digest: digestOfFiles(files),
    files,
  };
  await put(REFERENCE_FILE, JSON.stringify(built));
}
