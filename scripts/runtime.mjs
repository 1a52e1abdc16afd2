// Runs a program of this checkout, with the Node.js and the packages that it needs.
// Plain JavaScript without dependencies: it has to run on any Node.js from 18 on.
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureBundle } from './setup/bundle.mjs';
import { withLock } from './setup/held.mjs';
import { demandNode, ensureNode, HOME, need, nodeThatIsThere } from './setup/node.mjs';
import { demandPackages, ensurePackages, MODULES, reason } from './setup/packages.mjs';
import { tidy } from './setup/place.mjs';
import { SetupError, say } from './setup/report.mjs';

export const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '..');
/** The process that started this one. Read at once: it may end during a long set-up. */
const PARENT = process.ppid;

function environmentFor(node, root) {
  const NODE_COMPILE_CACHE = process.env.NODE_COMPILE_CACHE ?? join(root, '.cache', 'compile');
  return { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH ?? ''}`, NODE_COMPILE_CACHE };
}

/** Runs a program of this checkout under `node` as if it were this process; resolves with its exit code. */
export function runUnder(node, args, root = ROOT) {
  const child = spawn(node, args, { stdio: 'inherit', env: environmentFor(node, root) });
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

/** Reports set-up problems in one sentence, without a stack. */
async function told(run) {
  try {
    process.exitCode = await run();
  } catch (error) {
    say(error instanceof SetupError ? error.message : String(error?.stack ?? error));
    process.exitCode = 1;
  }
}

/** Makes this process the program, where Node.js can: a second process would keep 50 MB. `more`: arguments for where it can. */
function become(node, args, root, more = []) {
  if (process.execve === undefined || process.platform === 'win32') return runUnder(node, args, root);
  return process.execve(node, [node, ...args, ...more], environmentFor(node, root));
}

/** The Node.js that is needed, once it and the packages are there. */
async function ensured(root, dev) {
  const there = nodeThatIsThere(root);
  const why = there === undefined ? need() : reason(root, dev);
  if (why === undefined) return there;
  try {
    return await withLock(root, async () => {
      for (const name of [HOME, MODULES]) tidy(root, name);
      const node = await ensureNode(root);
      await ensurePackages(node, root, dev);
      return node;
    });
  } catch (error) {
    if (!['EACCES', 'EPERM', 'EROFS'].includes(error.code)) throw error;
    throw new SetupError(`${why}, and this user may not write to ${root}: run \`npm start\` once as one who may`);
  }
}

/**
 * A program and all that it needs, which is installed if it is not there. `service`: it is the service, and needs no packages for tests.
 * `bundle`: it starts the service.
 */
export function launch(args, { service = false, bundle = service }, root = ROOT) {
  return told(async () => {
    const node = await ensured(root, !service);
    if (bundle) await ensureBundle(node, root);
    if (!service) return runUnder(node, args, root);
    return become(node, args, root, process.env.npm_lifecycle_event ? [`--parent=${PARENT}`] : []);
  });
}

/** Makes the bundle, and installs what is missing. `tests`: with the packages for tests and examples. */
export function prepare({ tests }, root = ROOT) {
  return told(async () => ensureBundle(await ensured(root, tests), root));
}

/** Becomes a program with what is installed and changes nothing, so it may run beside a service. */
export function launchInstalled(args, root = ROOT) {
  return told(async () => {
    const node = demandNode(root);
    demandPackages(root);
    return become(node, args, root);
  });
}
