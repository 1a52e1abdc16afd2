/** Makes a static site of all documents and the API: `npm run site -- FOLDER`. It is built offline, and works from a folder. */
import { existsSync, globSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { belowDocs } from '../reference/build/chapters.ts';
import { DATA, referenceOf } from '../reference/build/reference.ts';
import { siteOf, siteParts } from '../reference/build/site.ts';
import { ROOT } from './bundle-place.ts';
import { STYLE, scriptOf } from './bundle-reference.ts';

/** Every site has it, and other folders do not. */
const MARK = '.countersign-site';

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

const filesLike = (...patterns: string[]): string[] =>
  patterns.flatMap((pattern) => globSync(pattern, { cwd: ROOT }).map((path) => path.replaceAll('\\', '/'))).sort();

/** The files of the site by path. */
export async function siteFiles(): Promise<Record<string, string | Buffer>> {
  const documents = filesLike('*.md', 'docs/**/*.md', 'examples/*/*.md');
  const pictures = filesLike('docs/pictures/*.png', 'examples/*/*.png');
  return {
    ...siteOf(referenceOf(read, siteParts(documents), pictures)),
    ...Object.fromEntries(pictures.map((path) => [belowDocs(path), readFileSync(join(ROOT, path))])),
    'reference.css': read(STYLE),
    'reference.js': await scriptOf(ROOT, 'site.ts'),
    'openapi.json': read(DATA.api),
    'auth-proxy.openapi.json': read(DATA.proxy),
    [MARK]: 'Made by npm run site, which replaces this folder.\n',
  };
}

/** Whole, or not at all. A folder that is no site is left alone. */
export async function makeSite(folder: string): Promise<number> {
  if (existsSync(folder) && readdirSync(folder).length > 0 && !existsSync(join(folder, MARK)))
    throw new Error(`${folder} is not empty, and is no site: name another folder`);
  const files = Object.entries(await siteFiles());
  const beside = `${folder}.${process.pid}`;
  try {
    for (const [path, content] of files) {
      mkdirSync(dirname(join(beside, path)), { recursive: true });
      writeFileSync(join(beside, path), content);
    }
    rmSync(folder, { recursive: true, force: true });
    renameSync(beside, folder);
  } finally {
    rmSync(beside, { recursive: true, force: true });
  }
  return files.length;
}

if (import.meta.main) {
  const [folder, ...others] = process.argv.slice(2);
  if (folder === undefined || folder.startsWith('-') || others.length > 0) {
    process.stderr.write(
      'usage: npm run site -- FOLDER\n\nMakes a static site of all documents in FOLDER. Open FOLDER/index.html.\n',
    );
    process.exitCode = 2;
  } else {
    try {
      const made = resolve(folder);
      process.stdout.write(`${await makeSite(made)} files: open ${join(made, 'index.html')}\n`);
    } catch (error) {
      process.stderr.write(`${(error as Error).message}\n`);
      process.exitCode = 1;
    }
  }
}
