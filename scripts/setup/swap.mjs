// Makes new folders beside the old ones and then replaces those, so that a failure or a kill leaves the old one whole.
import { chmodSync, lstatSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { SetupError } from './report.mjs';

const isThere = (path) => lstatSync(path, { throwIfNoEntry: false }) !== undefined;
const previousOf = (root, name) => join(root, '.cache', `previous-${name}`);
const siteOf = (name) => `install-${name}-`;

/** Undoes what a killed set-up left. Only for who holds the lock of that folder. */
export function tidy(root, name) {
  const [current, previous] = [join(root, name), previousOf(root, name)];
  // Killed between the two renames of `putInPlace`.
  if (!isThere(current) && isThere(previous)) renameSync(previous, current);
  rmSync(previous, { recursive: true, force: true });
  for (const entry of readdirSync(join(root, '.cache'))) {
    if (entry.startsWith(siteOf(name))) rmSync(join(root, '.cache', entry), { recursive: true, force: true });
  }
}

/** Runs `work` with a new folder beside, which is gone afterwards. */
export async function beside(root, name, work) {
  const site = mkdtempSync(join(root, '.cache', siteOf(name)));
  // A temporary folder is its maker's alone; what is put in place is also read by the user whom the service runs as.
  chmodSync(site, 0o777 & ~process.umask());
  try {
    return await work(site);
  } finally {
    rmSync(site, { recursive: true, force: true });
  }
}

/** Puts `fresh` in the place of `name` in the root. */
export function putInPlace(root, name, fresh) {
  const [current, previous] = [join(root, name), previousOf(root, name)];
  try {
    if (isThere(current)) renameSync(current, previous);
    renameSync(fresh, current);
  } catch (error) {
    if (!isThere(current) && isThere(previous)) renameSync(previous, current);
    throw new SetupError(
      `${current} cannot be exchanged (${error.code}): it is in use, or a file system of its own. ` +
        'Stop what uses it, or run npm ci in this folder',
    );
  }
  rmSync(previous, { recursive: true, force: true });
}
