/** How esbuild reads our sources, for the bundle of a checkout and for the package. */
import { readFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import type { Plugin } from 'esbuild';

/** JavaScript in many files. Other packages stay where they are: they have binary parts, are one file, or are seldom needed. */
const INCLUDED = /^(?:@bufbuild|@noble|@scure|kysely|zod)(?:\/|$)/;
export const isIncluded = (name: string): boolean => INCLUDED.test(name);

/** `import` would read each of its members, and some of them load all of fetch(), which takes a twentieth of a start. */
const HTTP = "module.exports = process.getBuiltinModule('node:http');";

export type Reading = {
  root: string;
  /** Where a file of ours is, seen from the finished bundle. */
  placeOf(path: string): string;
  /** Called for each source. */
  seen?(path: string, bytes: Uint8Array): void;
  /** Files of ours that stay outside. */
  apart?: readonly string[];
};

/** What a file says of its own place stays true of the source. */
function placed(text: string, path: string, { placeOf }: Reading): string {
  if (/import\.meta\b(?!\.(?:url|dirname)\b)/.test(text))
    throw new Error(`${path}: of import.meta, a bundle knows url and dirname alone`);
  return text
    .replaceAll('import.meta.url', () => `new URL(${JSON.stringify(placeOf(path))}, import.meta.url).href`)
    .replaceAll('import.meta.dirname', () => `(import.meta.dirname + ${JSON.stringify(`/${dirname(placeOf(path))}`)})`);
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

export const PLUGIN = 'ours';

export function ours(reading: Reading, changed = (text: string, _path: string): string => text): Plugin {
  const { root, placeOf, seen, apart = [] } = reading;
  return {
    name: PLUGIN,
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^node:http$/ }, ({ path }) => ({ path, namespace: 'apart' }));
      onLoad({ filter: /^node:http$/, namespace: 'apart' }, () => ({ contents: HTTP }));
      onResolve({ filter: /^[^./]/ }, ({ path, kind }) =>
        kind === 'entry-point' || isIncluded(path) ? undefined : { path, external: true },
      );
      for (const file of apart.map((path) => join(root, path)))
        onResolve({ filter: new RegExp(`/${basename(file)}$`) }, ({ path, resolveDir }) =>
          join(resolveDir, path) === file ? { path: placeOf(file), external: true } : undefined,
        );
      onLoad({ filter: /./ }, ({ path }) => {
        if (/[/\\]node_modules[/\\]/.test(path)) return undefined;
        if (!path.endsWith('.ts')) throw new Error(`${path}: of our own, a bundle has TypeScript alone`);
        const bytes = readFileSync(path);
        seen?.(relative(root, path), bytes);
        return { contents: named(placed(changed(bytes.toString('utf8'), path), path, reading)), loader: 'ts' };
      });
    },
  };
}
