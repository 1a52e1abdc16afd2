/**
 * Makes `.cache/bundle/reference.json`: the pages at /docs as the service sends them, with the digest of their sources. Set-up asks at each
 * start, and mostly there is nothing to make. So what makes them is loaded late.
 */
import { globSync } from 'node:fs';
import { type BuiltPages, builtPages, REFERENCE_FILE } from '../src/app/built-pages.ts';
import { FOR_BROWSERS, sourcesIn } from './bundle/browser.ts';

export const STYLE = 'reference/page/reference.css';

/** One script out of a file of `reference/page`. */
export async function scriptOf(root: string, entry: string): Promise<string> {
  const entryPoints = [`reference/page/${entry}`];
  const { build } = await import('esbuild');
  const { outputFiles } = await build({ ...FOR_BROWSERS, absWorkingDir: root, entryPoints, format: 'iife' });
  return outputFiles[0]!.text;
}

/** The reference by path. `read`: reads a source by its path from the root. */
export async function filesOfReference(root: string, read: (path: string) => string): Promise<BuiltPages['files']> {
  const { referenceOf } = await import('../reference/build/reference.ts');
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
  const { CHAPTERS } = await import('../reference/build/chapters.ts');
  const { DATA } = await import('../reference/build/reference.ts');
  const own = globSync('reference/**/*.{ts,css}', { cwd: root });
  const { read, made } = sourcesIn(root);
  const how = ['scripts/bundle-reference.ts', 'scripts/bundle/browser.ts'];
  for (const path of [...beside, ...how, ...own, ...Object.values(DATA), ...CHAPTERS.map(([file]) => file)]) read(path);
  await put(REFERENCE_FILE, JSON.stringify(made(await filesOfReference(root, (path) => read(path).toString('utf8')))));
}
