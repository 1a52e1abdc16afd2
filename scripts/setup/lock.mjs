// One set-up of a checkout at a time: a file that its holder touches.
import { mkdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { SetupError, say } from './report.mjs';

const TOUCH_MS = 2_000;
/** Untouched for this time, it is of a set-up that was killed. */
const STALE_MS = 20_000;
const WAIT_MS = 600_000;

export const lockOf = (root) => join(root, '.cache', 'setup.lock');

function taken(lock) {
  try {
    writeFileSync(lock, '', { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
  }
  const { mtimeMs = Date.now() } = statSync(lock, { throwIfNoEntry: false }) ?? {};
  if (Date.now() - mtimeMs > STALE_MS) rmSync(lock, { force: true });
  return false;
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
