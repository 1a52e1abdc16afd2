/** The console as the service sends it. Equal sources and packages give equal bytes. */
import { globSync, readdirSync } from 'node:fs';
import { basename, extname } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { sha256 } from '../../src/app/bundled.ts';
import {
  type BuiltConsole,
  CONSOLE_FILE,
  type ConsoleBuild,
  type ConsoleFile,
  consoleIn,
  digestOfConsole,
  HASHED,
  INDEX,
} from '../../src/app/console/built.ts';
import { FOR_BROWSERS, readBy, sourcesIn } from '../bundle/browser.ts';
import { noticesOf, packageOf } from '../package/programs.ts';
import { loadsOf } from './loads.ts';
import { styleHashes } from './style.ts';

const PAGE = 'console/index.html';
const SCRIPT = 'console/src/main.tsx';
const STYLE = 'console/src/console.css';
const STATIC = 'console/static/';
const OUT = 'console/assets';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.webmanifest': 'application/manifest+json',
};

/** Smaller texts fit in one packet anyway. */
const WORTH_PACKING = 1400;

function packed(path: string, bytes: Uint8Array): ConsoleFile {
  const type = TYPES[extname(path)];
  if (type === undefined) throw new Error(`${path}: the build knows no type of such files`);
  const text = (one: Uint8Array) => Buffer.from(one).toString('base64');
  const plain = { type, plain: text(bytes) };
  if (bytes.length < WORTH_PACKING || type.startsWith('image/png')) return plain;
  const params = { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
  return { ...plain, gzip: text(gzipSync(bytes, { level: 9 })), br: text(brotliCompressSync(bytes, { params })) };
}

/** `read`: reads a source by its path from the root. */
async function scripts(root: string, read: (path: string) => Buffer) {
  const { outputFiles, metafile } = await build({
    ...FOR_BROWSERS,
    absWorkingDir: root,
    entryPoints: [SCRIPT, STYLE],
    outdir: OUT,
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    format: 'esm',
    splitting: true,
    metafile: true,
    jsx: 'automatic',
    legalComments: 'none',
    define: { 'process.env.NODE_ENV': '"production"' },
    // One of a folder above would decide otherwise.
    tsconfigRaw: { compilerOptions: { jsx: 'react-jsx', verbatimModuleSyntax: true } },
    plugins: [readBy(root, read)],
  });
  for (const [path, { cssBundle }] of Object.entries(metafile.outputs))
    if (cssBundle !== undefined) throw new Error(`${path}: a style is imported by a script; import it in ${STYLE}`);
  return { outputFiles, metafile };
}

const nameOf = (path: string) => HASHED + basename(path);

/** The page with the names that the build gave. */
function page(html: string, first: readonly string[]): string {
  const found = (name: string, ending: string) =>
    first.find((path) => path.startsWith(`${HASHED}${name}-`) && path.endsWith(ending));
  const [script, style] = [found('main', '.js'), found('console', '.css')];
  const others = first.filter((path) => path.endsWith('.js') && path !== script);
  const preload = others.map((path) => `<link rel="modulepreload" href="/console/${path}" />\n    `).join('');
  return html
    .replace('href="console.css"', `href="/console/${style}"`)
    .replace('<script type="module" src="main.js">', `${preload}<script type="module" src="/console/${script}">`);
}

const sumsOf = (files: readonly (readonly [string, Uint8Array])[]) =>
  files.map(([path, bytes]) => `${sha256(bytes)}  ${path}\n`).join('');

export async function buildConsole(root: string, read: (path: string) => Buffer): Promise<BuiltConsole> {
  const { outputFiles, metafile } = await scripts(root, read);
  const { first, later } = loadsOf(metafile.outputs, [SCRIPT, STYLE]);
  const named = (paths: readonly string[]) => paths.map(nameOf);
  const inputs = Object.keys(metafile.inputs);
  const packages = [...new Set(inputs.map(packageOf).filter((path) => path !== undefined))].sort();
  const notices = noticesOf(root, packages, readdirSync, 'The console contains these packages.');
  const fixed = globSync(`${STATIC}*`, { cwd: root }).map((path) => path.replaceAll('\\', '/'));
  const all: (readonly [string, Uint8Array])[] = [
    [INDEX, Buffer.from(page(read(PAGE).toString('utf8'), named(first)))],
    ['notices.txt', Buffer.from(notices)],
    ...fixed.map((path) => [path.slice(STATIC.length), read(path)] as const),
    ...outputFiles.map(({ path, contents }) => [nameOf(path), contents] as const),
  ];
  const sorted = all.toSorted(([a], [b]) => (a < b ? -1 : 1));
  const files = [...sorted, ['sha256sums.txt', Buffer.from(sumsOf(sorted))] as const];
  return {
    files: Object.fromEntries(files.map(([path, bytes]) => [path, packed(path, bytes)])),
    styles: styleHashes(root, inputs),
    loads: { first: named(first), later: Object.fromEntries(Object.entries(later).map(([name, paths]) => [name, named(paths)])) },
  };
}

/** Beside our sources, these decide what the build has. Set-up installs what the lock files name. */
const DECIDING = ['package-lock.json', 'console/package-lock.json'];

/** `put`: writes a file of the bundle's folder, whole or not at all. */
export async function makeConsole(root: string, put: (name: string, content: string) => Promise<void>): Promise<void> {
  if (consoleIn(root) !== undefined) return;
  const { read, madeOf } = sourcesIn(root);
  for (const path of [...DECIDING, ...globSync('scripts/{console/*.ts,bundle/browser.ts}', { cwd: root })]) read(path);
  const built = await buildConsole(root, read);
  const made: ConsoleBuild = { ...madeOf(), digest: digestOfConsole(built), built };
  await put(CONSOLE_FILE, JSON.stringify(made));
  if (consoleIn(root) === undefined) throw new Error('sources were changed meanwhile: run this again');
}
