/** What set-up builds for browsers: the frames, the script of the reference, and the console. */
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { BuildOptions, Plugin } from 'esbuild';
import { type BuiltPages, digestOfFiles } from '../../src/app/built-pages.ts';
import { digestOf } from '../../src/app/bundled.ts';

export const FOR_BROWSERS = {
  bundle: true,
  minify: true,
  platform: 'browser',
  target: 'es2022',
  charset: 'utf8',
  logLevel: 'silent',
  write: false,
} as const satisfies BuildOptions;

/** Sources as they were read first: what is made of them is old when one is changed meanwhile. */
export function sourcesIn(root: string) {
  const kept = new Map<string, Buffer>();
  const read = (path: string): Buffer => {
    const bytes = kept.get(path) ?? readFileSync(join(root, path));
    kept.set(path, bytes);
    return bytes;
  };
  const madeOf = () => {
    const sources = [...kept.keys()].sort();
    return { sources, madeOf: digestOf(sources, (path) => kept.get(path)!) };
  };
  return {
    read,
    madeOf,
    made: (files: BuiltPages['files']): BuiltPages => ({ ...madeOf(), digest: digestOfFiles(files), files }),
  };
}

/** esbuild reads the files of this checkout by `read`, and those of packages by itself. */
export const readBy = (root: string, read: (path: string) => Buffer): Plugin => ({
  name: 'ours',
  setup: ({ onLoad }) =>
    onLoad({ filter: /\.(?:tsx?|css)$/ }, ({ path }) => {
      if (/[/\\]node_modules[/\\]/.test(path)) return undefined;
      const loader = /\.(?:ts|tsx|css)$/.exec(path)![0].slice(1) as 'ts' | 'tsx' | 'css';
      return { contents: read(relative(root, path).replaceAll('\\', '/')), loader };
    }),
});
