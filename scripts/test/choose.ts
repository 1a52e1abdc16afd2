/** Which test files were asked for. */
import { globSync } from 'node:fs';
import { relative, resolve, sep } from 'node:path';

/** What was asked for cannot be run. The message is all that is said. */
export class Misasked extends Error {}

/** `named`: files, or folders of them, as they are typed in the folder `from`. */
export interface Choice {
  readonly only: string | undefined;
  readonly named: readonly string[];
  readonly from: string;
}

/** A path as it is shown: from the root, with forward slashes. */
export const shown = (root: string, path: string): string => relative(root, path).split(sep).join('/');

export function chosenFiles(root: string, { only, named, from }: Choice): string[] {
  const all = globSync('tests/**/*.test.ts', { cwd: root })
    .map((file) => file.split(sep).join('/'))
    .filter((file) => !file.includes('/node_modules/'));
  const wanted = named.map((name) => {
    const path = shown(root, resolve(from, name));
    const found = all.filter((file) => file === path || file.startsWith(`${path}/`));
    if (found.length === 0)
      throw new Misasked(
        `${name} is neither a test file nor a folder of test files. For a part of a path: npm test -- --only ${name}`,
      );
    return found;
  });
  const among = named.length > 0 ? [...new Set(wanted.flat())] : all;
  const found = among.filter((file) => only === undefined || file.includes(only));
  if (found.length === 0) throw new Misasked(`no test file has ${only} in its path; a path is such as ${among[0]}`);
  return found;
}
