// Makes the service's bundle where there is none of the present sources (scripts/bundle.ts says why it could not).
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { compiledIn } from './become.mjs';
import { say } from './report.mjs';

/** It takes a second. */
const DEADLINE_MS = 60_000;
/** The settings of the service, with its secrets, are for no other program. */
const PASSED = ['LD_LIBRARY_PATH', 'PATH', 'SystemRoot', 'TEMP', 'TMP', 'TMPDIR'];

/** Resolves with an exit code. Where no bundle can be made, the service runs from its sources. */
export function ensureBundle(node, root) {
  const program = join(root, 'scripts', 'bundle.ts');
  if (!existsSync(program)) return Promise.resolve(1);
  const passed = PASSED.filter((name) => process.env[name] !== undefined).map((name) => [name, process.env[name]]);
  // Mostly there is nothing to make, and its own sources would take most of the time. The maker makes the first `.cache`, which only we may write.
  const compiled = existsSync(join(root, '.cache')) ? { NODE_COMPILE_CACHE: compiledIn(root) } : {};
  const env = { ...Object.fromEntries(passed), ...compiled };
  const child = spawn(node, [program], {
    env,
    stdio: ['ignore', 'inherit', 'inherit'],
    timeout: DEADLINE_MS,
    killSignal: 'SIGKILL',
  });
  return new Promise((done) => {
    child.on('error', (error) => {
      say(`the bundle is not made (${error.message}): the service runs from its sources`);
      done(1);
    });
    child.on('exit', (code, signal) => {
      if (signal) say(`the bundle is not made, since its maker was ended by ${signal}: the service runs from its sources`);
      done(code ?? 1);
    });
  });
}
