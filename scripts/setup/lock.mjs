// A lock between the set-ups of one checkout.
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { SetupError, say } from './report.mjs';

const LOCK_STALE_MS = 30_000;
const LOCK_WAIT_MS = 600_000;

const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

export function isAlive(pid) {
  try {
    process.kill(Number(pid), 0);
    return true;
  } catch (error) {
    return error.code !== 'ESRCH';
  }
}

function holderIsGone(lock) {
  try {
    const age = Date.now() - statSync(lock).mtimeMs;
    const [pid, host, npm] = existsSync(join(lock, 'holder')) ? readFileSync(join(lock, 'holder'), 'utf8').split(' ') : [];
    // If the holder is on another machine or in another container, or has written no file yet, only the age is known.
    if (host !== hostname()) return age > LOCK_STALE_MS;
    // The holder was killed, but its npm goes on writing.
    if (npm && age < LOCK_WAIT_MS / 2 && isAlive(npm)) return false;
    return age > LOCK_STALE_MS || !isAlive(pid);
  } catch {
    return false;
  }
}

/**
 * Runs `work` while holding a lock folder. Making a folder is atomic; the holder touches it every few seconds,
 * so that a lock whose holder died is recognized and taken over. `work` gets a function to name the npm that it runs.
 */
export async function withLock(lock, work) {
  // The service's bundle is below: nobody else is to write there.
  mkdirSync(dirname(lock), { recursive: true, mode: 0o755 });
  const started = Date.now();
  for (let waited = false; ; waited = true) {
    try {
      mkdirSync(lock);
      break;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    if (holderIsGone(lock)) {
      // Renaming first: of two processes that find the same dead lock, only one moves it away.
      const dead = `${lock}.dead-${process.pid}-${Date.now()}`;
      try {
        renameSync(lock, dead);
        // Another process may have taken the lock over in between: then it gets it back.
        if (holderIsGone(dead)) rmSync(dead, { recursive: true, force: true });
        else renameSync(dead, lock);
      } catch {}
      continue;
    }
    if (Date.now() - started > LOCK_WAIT_MS)
      throw new SetupError(`another set-up holds ${lock}; remove that folder if none is running`);
    if (!waited) say('waiting for another set-up of this checkout to finish');
    await sleep(200);
  }
  const hold = (npm = '') => writeFileSync(join(lock, 'holder'), `${process.pid} ${hostname()} ${npm}`);
  hold();
  const touch = setInterval(() => {
    try {
      utimesSync(lock, new Date(), new Date());
    } catch {}
  }, 5_000);
  const drop = () => rmSync(lock, { recursive: true, force: true });
  process.once('exit', drop);
  try {
    return await work(hold);
  } finally {
    clearInterval(touch);
    process.removeListener('exit', drop);
    drop();
  }
}
