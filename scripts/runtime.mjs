// Runs a program of this checkout, with the Node.js and the packages that it needs.
// Plain JavaScript without dependencies: it has to run on any Node.js from 18 on.
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureBundle } from './setup/bundle.mjs';
import { withLock } from './setup/lock.mjs';
import { demandNode, ensureNode } from './setup/node.mjs';
import { demandPackages, ensurePackages, packagesAreThere } from './setup/packages.mjs';
import { SetupError, say } from './setup/report.mjs';
import { announce, runningServices } from './setup/services.mjs';
import { tidy } from './setup/swap.mjs';

export const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '..');
/** The process that started this one. Read at once: it may end during a long set-up. */
const PARENT = process.ppid;

/** Runs a program of this checkout under `node` as if it were this process; resolves with its exit code. */
export function runUnder(node, args, root = ROOT, started = () => {}) {
  const cache = process.env.NODE_COMPILE_CACHE ?? join(root, '.cache', 'compile');
  const PATH = `${dirname(node)}${delimiter}${process.env.PATH ?? ''}`;
  const child = spawn(node, args, { stdio: 'inherit', env: { ...process.env, PATH, NODE_COMPILE_CACHE: cache } });
  if (child.pid !== undefined) started(child.pid);
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

/** Runs `work` while no other set-up does. */
async function alone(root, dev, work) {
  let locked = false;
  try {
    await withLock(join(root, '.cache', 'install.lock'), async (hold) => {
      locked = true;
      tidy(root, 'node_modules');
      await work(hold);
    });
  } catch (error) {
    if (locked || !['EACCES', 'EPERM', 'EROFS'].includes(error.code)) throw error;
    // Where this user may not write, nothing is installed, so no service of this user can be disturbed.
    if (!packagesAreThere(root, dev))
      throw new SetupError(`packages are missing, and this user may not write to ${root}: run npm ci as one who may`);
    await work();
  }
}

/**
 * A program and all that it needs, which is installed if it is not there. `service`: it is the service, and needs no packages for tests.
 * `bundle`: it starts the service.
 */
export function launch(args, { service = false, bundle = service }, root = ROOT) {
  return told(async () => {
    // This call also removes the files of killed services.
    runningServices(root);
    const node = await ensureNode(root);
    if (!service) {
      if (!packagesAreThere(root, true)) await alone(root, true, (hold) => ensurePackages(node, root, true, hold));
      if (bundle) await ensureBundle(node, root);
      return runUnder(node, args, root);
    }
    let ended;
    // Announced before the lock is released: the next set-up sees it.
    await alone(root, false, async (hold) => {
      await ensurePackages(node, root, false, hold);
      await ensureBundle(node, root);
      ended = runUnder(node, args, root, (pid) => announce(root, pid));
    });
    return ended;
  });
}

/** Makes the bundle, and installs what is missing for it. */
export function makeBundle(root = ROOT) {
  return told(async () => {
    const node = await ensureNode(root);
    if (!packagesAreThere(root, false)) await alone(root, false, (hold) => ensurePackages(node, root, false, hold));
    return ensureBundle(node, root);
  });
}

/** Runs a program with what is installed and changes nothing, so it may run beside a service. */
export function launchInstalled(args, root = ROOT) {
  return told(async () => {
    const node = demandNode(root);
    demandPackages(root);
    return runUnder(node, args, root);
  });
}
