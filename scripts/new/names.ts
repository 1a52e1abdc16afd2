import { nearest } from '../../src/base/nearest.ts';
import { exists, filesIn, foldersIn, Refused } from './tree.ts';

/** UPDATE_USER_NAME → update-user-name */
export const kebab = (name: string): string => name.toLowerCase().replaceAll('_', '-');

/** update-user-name → updateUserName */
export const camel = (name: string): string => name.replace(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

export type Sort = 'activities' | 'queries';

/** Every operation's file name without its ending, and its resource's folder. */
export function operations(sort: Sort): Map<string, string> {
  const found = new Map<string, string>();
  for (const folder of foldersIn(`src/${sort}`))
    for (const file of filesIn(`src/${sort}/${folder}`))
      if (file !== 'index.ts' && !file.endsWith('.history.ts')) found.set(file.replace(/\.ts$/, ''), folder);
  return found;
}

/** Refuses names that the interface does not have, and operations that exist already. */
export function checkOperation(name: string, all: readonly string[], sort: Sort): void {
  const [what, example] = sort === 'activities' ? ['an activity', 'UPDATE_USER_NAME'] : ['a query', 'get_api_key'];
  const there = operations(sort);
  if (!all.includes(name)) {
    const meant = nearest(name, all);
    const hint =
      meant === undefined
        ? `npm run new -- ${what.split(' ')[1]} --list shows the names that can be added`
        : `did you mean ${meant}?`;
    throw new Refused(`${name || 'nothing'} is not the name of ${what} of the interface, such as ${example}: ${hint}`);
  }
  const folder = there.get(kebab(name));
  if (folder !== undefined)
    throw new Refused(`${name} is there already: src/${sort}/${folder}/${kebab(name)}.ts. Add a version to its history instead.`);
}

/** update-user-name → ['user', 'name']; delete-users → ['user'] */
const nouns = (name: string): string[] =>
  name
    .split('-')
    .slice(1)
    .map((word) => word.replace(/(?<=[a-z]{2})s$/, ''));

/** The folder of the operations about the same noun; the longest noun counts. */
function derivedFolder(name: string): string | undefined {
  const wanted = nouns(name).join(' ');
  let best = { folder: undefined as string | undefined, length: 0 };
  for (const sort of ['activities', 'queries'] as const)
    for (const [other, folder] of operations(sort)) {
      const about = nouns(other).join(' ');
      if (about.length > best.length && `${wanted} `.startsWith(`${about} `)) best = { folder, length: about.length };
    }
  return best.folder;
}

/** The resource's folder: the one that was asked for, or that of the operations about the same noun. */
export function resourceFolder(name: string, asked: string | undefined, sort: Sort): string {
  const there = [...new Set([...foldersIn('src/activities'), ...foldersIn('src/queries')])].sort();
  const folder = asked ?? derivedFolder(kebab(name));
  if (folder === undefined)
    throw new Refused(`name the resource of ${name}: --resource and one of ${there.join(', ')}, or a new folder's name`);
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(folder))
    throw new Refused(
      `--resource ${folder}: a folder is named in lower case with dashes, such as ${there.includes('users') ? 'users' : sort}`,
    );
  return folder;
}

/** For a chain or a table: a new name in lower case. */
export function checkPlainName(name: string, what: string, example: string, taken: string): void {
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name))
    throw new Refused(`${name || 'nothing'} is no name for a ${what}: lower case with dashes, such as ${example}`);
  if (exists(taken)) throw new Refused(`${name} is there already: ${taken}`);
}
