// Which services run from this checkout. Each has a file in .cache/services, which it writes anew every few seconds (src/app/announce.ts).
// Its lines: the process, and when that started.
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { SetupError } from './report.mjs';

/** A service in another container is known by that alone. */
const FRESH_MS = 20_000;

/** When a process started, on Linux: a later process of the same number has another time. */
function startOf(pid) {
  try {
    // The second field is the program's name in parentheses, which may contain spaces.
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').pop().split(' ')[19];
  } catch {
    return undefined;
  }
}

function runs(file) {
  if (Date.now() - statSync(file).mtimeMs < FRESH_MS) return true;
  // It may be held up.
  const [pid, started] = readFileSync(file, 'utf8').split('\n');
  return Boolean(started) && startOf(pid) === started;
}

/** The files of services that run; those of others are removed. */
export function runningServices(root) {
  const folder = join(root, '.cache', 'services');
  let names = [];
  try {
    names = readdirSync(folder);
  } catch {}
  return names
    .map((name) => join(folder, name))
    .filter((file) => {
      try {
        if (runs(file)) return true;
        rmSync(file, { force: true });
      } catch {}
      return false;
    });
}

/** `what` is needed, for instance "package-lock.json has changed". */
export function refuseBesideService(root, what) {
  const [file] = runningServices(root);
  if (file === undefined) return;
  const [pid] = readFileSync(file, 'utf8').split('\n');
  throw new SetupError(
    `${what}, and a service of this folder runs (process ${pid}, announced in ${file}): ` +
      'nothing is installed under it. Stop it and run this again, or work in another clone',
  );
}
