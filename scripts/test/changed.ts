/** Test files that a change may concern: of the work tree, and of the commits since main. */
import { spawnSync } from 'node:child_process';
import { Misasked } from './choose.ts';
import type { Imports } from './imports.ts';

function git(root: string, ...args: string[]): string {
  const done = spawnSync('git', args, { cwd: root, encoding: 'utf8' });
  if (done.status !== 0) throw new Misasked(`--changed needs git, which says: ${(done.stderr || String(done.error)).trim()}`);
  return done.stdout;
}

export function changedFiles(root: string): string[] {
  const base = git(root, 'merge-base', 'HEAD', 'main').trim();
  const lists = [
    ['diff', '--name-only', '--no-renames', base],
    ['ls-files', '--others', '--exclude-standard'],
  ];
  return lists.flatMap((args) => git(root, ...args).split('\n')).filter((file) => file !== '');
}

/** Every test of the service loads all operations by these. Of an operation, its own tests and those of conformance are run. */
const LISTS = new Set(['src/activities/index.ts', 'src/queries/index.ts']);

const isOperation = (path: string) => path.startsWith('src/activities/') || path.startsWith('src/queries/');

/** The tests of `src/a/b.ts` are `tests/a/b.test.ts`, and those of its folder, in `tests/a/`. */
function mirrors(path: string): string[] {
  const [top, ...rest] = path.replace(/\.\w+$/, '').split('/');
  if (top !== 'src' && top !== 'scripts') return [];
  const at = ['tests', ...(top === 'scripts' ? [top] : []), ...rest];
  const folder = at.slice(0, -1);
  return [at, ...(folder.length > 1 ? [folder] : []), ...(isOperation(path) ? [['tests', 'conformance']] : [])].map((parts) =>
    parts.join('/'),
  );
}

/** Whether a text names a file that is not imported, by its path or its folder. */
function names(text: string, path: string): boolean {
  const [top] = path.split('/');
  return text.includes(path) || (top !== path && (text.includes(`${top}/`) || text.includes(`'${top}'`)));
}

const isRead = (path: string) => !/^(?:src|tests|scripts|bench)\/|\.tsx?$/.test(path);

/** Those that import or name what changed, and those whose path mirrors it. */
export function concernedBy(changed: readonly string[], files: readonly string[], imports: Imports): string[] {
  const operations = changed.filter(isOperation);
  const others = changed.filter((path) => !isOperation(path));
  const mirrored = changed.flatMap(mirrors);
  const read = changed.filter(isRead);
  return files.filter((file) => {
    if (mirrored.some((path) => file === `${path}.test.ts` || file.startsWith(`${path}/`))) return true;
    if (read.some((path) => names(imports.text(file), path))) return true;
    const all = imports.all(file);
    if (others.some((path) => all.has(path))) return true;
    const without = operations.length === 0 ? all : imports.all(file, (path) => !LISTS.has(path));
    return operations.some((path) => without.has(path));
  });
}
