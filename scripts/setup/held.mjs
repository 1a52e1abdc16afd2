// Files that show that a process lives: it writes them every few seconds. A file that was not written for 20 seconds is of a process that was killed.
// So it needs no process number, which another container or a later process may have too.
import { mkdirSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { SetupError, say } from './report.mjs';

const TOUCH_MS = 2_000;
const STALE_MS = 20_000;
const WAIT_MS = 600_000;

export const lockOf = (root) => join(root, '.cache', 'setup.lock');

const age = (file) => Date.now() - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());

function taken(lock) {
  if (age(lock) > STALE_MS) rmSync(lock, { force: true });
  try {
    writeFileSync(lock, '', { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    return false;
  }
}

/** Runs `work` while no other set-up of this checkout does. */
export async function withLock(root, work) {
  const lock = lockOf(root);
  // The service's bundle is below: no other user may write there.
  mkdirSync(dirname(lock), { recursive: true, mode: 0o755 });
  const deadline = Date.now() + WAIT_MS;
  for (let waited = false; !taken(lock); waited = true) {
    if (Date.now() > deadline) throw new SetupError(`another set-up holds ${lock}; remove that file if none is running`);
    if (!waited) say('waiting for another set-up of this checkout to finish');
    await new Promise((done) => setTimeout(done, 200));
  }
  const touch = setInterval(() => {
    try {
      utimesSync(lock, new Date(), new Date());
    } catch {}
  }, TOUCH_MS);
  const drop = () => rmSync(lock, { force: true });
  process.once('exit', drop);
  try {
    return await work();
  } finally {
    clearInterval(touch);
    process.removeListener('exit', drop);
    drop();
  }
}

/** The files of services that run from this checkout, one for each (src/app/announce.ts). */
export function runningServices(root) {
  const folder = join(root, '.cache', 'services');
  try {
    return readdirSync(folder)
      .map((name) => join(folder, name))
      .filter((file) => age(file) <= STALE_MS);
  } catch {
    return [];
  }
}

/** `what` is needed, for instance "package-lock.json has changed". */
export function refuseBesideService(root, what) {
  const [file] = runningServices(root);
  if (file === undefined) return;
  const [pid] = file.split(/[/\\]/).pop().split('-');
  throw new SetupError(
    `${what}, and a service of this folder runs (process ${pid}, announced in ${file}): ` +
      'nothing is installed under it. Stop it and run this again, or work in another clone',
  );
}
