// The console: its packages, in a folder of their own, and its build. It needs no environment of the service.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { dirname, join } from 'node:path';
import { runningServices, withLock } from './held.mjs';
import { areOurs, ensurePackages, MODULES } from './packages.mjs';
import { tidy } from './place.mjs';
import { bytesIn, SetupError } from './report.mjs';

const FOLDER = 'console';
/** Its environment names no certificates: those of the machine count, as for its other programs. */
const PACKAGES = { what: 'the packages of the console', megabytes: 55, flags: ['--use-system-ca'] };
/** The settings of the service, with its secrets, are for no other program. */
const PASSED = ['HOME', 'PATH', 'TEMP', 'TMP', 'TMPDIR'];
const BUILD_MS = 120_000;
const TELL_MS = 1000;
/** How long the build waits for the service to listen. Then it begins anyway. */
const LISTENS_MS = 60_000;
const LOOK_MS = 200;

const stateFile = (root) => join(root, '.cache', 'console-state.json');

/** For the page that is shown meanwhile (src/app/console/waiting.ts). False: it could not be written, which must not end the work. */
function write(root, state) {
  const file = stateFile(root);
  const beside = `${file}.${process.pid}`;
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o755 });
    writeFileSync(beside, JSON.stringify(state));
    renameSync(beside, file);
    return true;
  } catch {
    try {
      rmSync(beside, { force: true });
    } catch {}
    return false;
  }
}

const environment = () =>
  Object.fromEntries(PASSED.filter((name) => process.env[name] !== undefined).map((name) => [name, process.env[name]]));

function build(node, root) {
  const child = spawn(node, [join(root, 'scripts', 'console', 'make.ts')], {
    cwd: root,
    env: environment(),
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: BUILD_MS,
    killSignal: 'SIGKILL',
  });
  let said = '';
  child.stderr.on('data', (chunk) => {
    said = (said + chunk).slice(-2000);
  });
  return new Promise((done, fail) => {
    child.on('error', fail);
    child.on('close', (code, signal) => {
      if (code === 0) done();
      else fail(new SetupError(said.trim() || `the console is not built, since its maker was ended by ${signal ?? code}`));
    });
  });
}

/** Installs and builds what is not there. `ready`: what a build waits for. */
export async function ensureConsole(node, root, ready = async () => {}) {
  const home = join(root, FOLDER);
  const site = join(home, '.cache', 'install');
  let doing = 'another process works on it';
  const installed = () => `${Math.round(bytesIn(site) / 1e6)} of some ${PACKAGES.megabytes} MB of packages are installed`;
  const tell = () => write(root, { doing: existsSync(site) ? installed() : doing });
  tell();
  const timer = setInterval(tell, TELL_MS);
  try {
    await withLock(home, async () => {
      doing = 'packages are compared';
      tidy(home, MODULES);
      await ensurePackages(node, home, true, PACKAGES);
      doing = 'the build waits for the service';
      await ready();
      doing = 'files are made';
      await build(node, root);
    });
    rmSync(stateFile(root), { force: true });
  } catch (error) {
    write(root, { failed: String(error.message).slice(0, 1000) });
    throw error;
  } finally {
    clearInterval(timer);
  }
}

const listens = (file) => {
  try {
    return readFileSync(file, 'utf8') === 'listening';
  } catch {
    return false;
  }
};

/** Resolves when a service of this checkout listens. The start of one must not be slowed. */
export async function listening(root, most = LISTENS_MS) {
  const until = Date.now() + most;
  while (Date.now() < until && !runningServices(root).some(listens)) await new Promise((done) => setTimeout(done, LOOK_MS));
}

/** The detached process. */
export async function inBackground(root) {
  try {
    setPriority(10);
  } catch {}
  await ensureConsole(process.execPath, root, () => listening(root)).catch(() => {
    process.exitCode = 1;
  });
}

/** Starts that process, which outlives this one. CI gets none, nor does a checkout whose packages set-up did not install. */
export function startConsole(node, root) {
  const { CI, CONSOLE } = process.env;
  if (CONSOLE === 'off' || CI || !areOurs(root) || !existsSync(join(root, FOLDER, 'package-lock.json'))) return;
  // Where this user may not write, or the disk is full, nothing could be built either.
  if (!write(root, { doing: 'it begins' })) return;
  const program = join(root, 'scripts', 'setup', 'console-program.mjs');
  spawn(node, [program], { cwd: root, env: environment(), stdio: 'ignore', detached: true })
    .on('error', () => {})
    .unref();
}
