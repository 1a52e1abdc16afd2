// Makes this process another program.
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '../..');

/** The process that started this one. Read at once: it may end during a long set-up. */
const PARENT = process.ppid;

/** Under npm, the service stops when its parent ends (src/serve.ts). */
export const PARENT_ARGUMENT = process.env.npm_lifecycle_event ? [`--parent=${PARENT}`] : [];

/** The folder of compiled code. */
export const compiledIn = (root) => process.env.NODE_COMPILE_CACHE ?? join(root, '.cache', 'compile');

function environmentFor(node, root) {
  const PATH = `${dirname(node)}${delimiter}${process.env.PATH ?? ''}`;
  return { ...process.env, PATH, NODE_COMPILE_CACHE: compiledIn(root) };
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

/** Makes this process the program, where Node.js can: a second process would keep 50 MB. `more`: arguments for where it can. */
export function become(node, args, root, more = []) {
  if (process.execve === undefined || process.platform === 'win32') return runUnder(node, args, root);
  return process.execve(node, [node, ...args, ...more], environmentFor(node, root));
}
