// Set-up fills a folder beside and then puts it in place. After a failure, the old one is whole. Only for the holder of the lock.
import { lstatSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { SetupError } from './report.mjs';

const isThere = (path) => lstatSync(path, { throwIfNoEntry: false }) !== undefined;
const remove = (path) => rmSync(path, { recursive: true, force: true });
const siteOf = (root) => join(root, '.cache', 'install');
const previousOf = (root, name) => join(root, '.cache', `previous-${name}`);

/** Removes what a killed set-up left. */
export function tidy(root, name) {
  remove(previousOf(root, name));
  remove(siteOf(root));
}

/** Runs `work` with a new folder beside, which is gone afterwards. */
export async function beside(root, work) {
  const site = siteOf(root);
  mkdirSync(site);
  try {
    return await work(site);
  } finally {
    remove(site);
  }
}

/** `move`: renames that put new files to where they are used. */
export function moving(path, move) {
  try {
    move();
  } catch (error) {
    throw new SetupError(
      `${path} cannot be exchanged (${error.code}): it is in use, or a file system of its own. ` +
        'Stop what uses it, or run npm ci in this folder',
    );
  }
}

/** Puts `fresh` in the place of `name` in the root. */
export function putInPlace(root, name, fresh) {
  const [current, previous] = [join(root, name), previousOf(root, name)];
  moving(current, () => {
    try {
      if (isThere(current)) renameSync(current, previous);
      renameSync(fresh, current);
    } catch (error) {
      if (!isThere(current) && isThere(previous)) renameSync(previous, current);
      throw error;
    }
  });
  remove(previous);
}
