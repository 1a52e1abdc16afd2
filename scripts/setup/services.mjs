// Which services run from this checkout. Each one has a file in .cache/services, which it writes anew every few seconds
// (src/app/announce.ts). Its lines: the process, the place where that number means something, and when the process started.
import { mkdirSync, readdirSync, readFileSync, readlinkSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { basename, join } from 'node:path';
import { isAlive } from './lock.mjs';
import { SetupError } from './report.mjs';

const FRESH_MS = 60_000;
const folderOf = (root) => join(root, '.cache', 'services');

/** On Linux this start of the machine and this container, elsewhere the host. */
function thisPlace() {
  if (process.platform !== 'linux') return hostname();
  return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()} ${readlinkSync('/proc/self/ns/pid')}`;
}

/** When a process started, counted from the start of the machine: another process of the same number has another. */
function startOf(pid) {
  if (process.platform !== 'linux') return '';
  try {
    // The second field is the program's name in parentheses, which may contain spaces.
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').pop().split(' ')[19];
  } catch {
    return undefined;
  }
}

/** Writes the file that the service itself will write later: until then its launcher announces it. */
export function announce(root, pid) {
  try {
    mkdirSync(folderOf(root), { recursive: true });
    writeFileSync(join(folderOf(root), `${pid}-${hostname()}`), `${pid}\n${thisPlace()}\n${startOf(pid) ?? ''}\n`);
  } catch {
    // The folder is not writable.
  }
}

function runs(file) {
  const fresh = Date.now() - statSync(file).mtimeMs < FRESH_MS;
  const [pid, place, started] = readFileSync(file, 'utf8').split('\n');
  // From another container, or not fully written yet.
  if (place !== thisPlace()) return fresh;
  return started ? startOf(pid) === started : fresh && isAlive(pid);
}

/** The files of services that run; those of dead ones are removed. */
export function runningServices(root) {
  let names = [];
  try {
    names = readdirSync(folderOf(root));
  } catch {}
  return names
    .map((name) => join(folderOf(root), name))
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
  const [pid] = basename(file).split('-');
  throw new SetupError(
    `${what}, and a service of this folder runs (process ${pid}, announced in ${file}): ` +
      'nothing is installed under it. Stop it and run this again, or work in another clone',
  );
}
