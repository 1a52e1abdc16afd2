// Runs npm. Plain JavaScript without dependencies, as all of the set-up: it has to run on any Node.js from 18 on.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { SetupError } from './report.mjs';

/** In characters. npm's error messages come before its usage text of some 10,000. */
const MOST_OUTPUT = 65_536;

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

/** npm's output, without its warnings and its usage text. */
function complaint(output) {
  const lines = output.trim().split('\n');
  const usage = lines.findIndex((line) => /^npm error (Usage:|Clean install a project)/.test(line));
  return lines
    .slice(0, usage < 0 ? undefined : usage)
    .filter((line) => !line.startsWith('npm warn'))
    .join('\n');
}

/** `flags`: of Node.js. */
export function runNpm(node, args, cwd, flags = []) {
  const PATH = `${dirname(node)}${delimiter}${process.env.PATH ?? ''}`;
  return new Promise((done, fail) => {
    // The reason of a failure must be readable even after `npm start --silent`.
    const command = [...flags, findNpm(), ...args, '--loglevel=notice'];
    const child = spawn(node, command, { cwd, env: cleanEnvironment({ PATH }), stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    const keep = (chunk) => {
      output = (output + chunk).slice(-MOST_OUTPUT);
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    // A signal that stops the set-up stops npm as well: it must not go on beside the next set-up.
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
