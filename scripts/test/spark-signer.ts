import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** A registry that does not answer must not hold the tests up. */
const MOST_MS = 5 * 60_000;

const FOLDER = 'tests/spark-signer';

/** Whether its installation is complete: npm writes this file last. */
export const isSparkSignerInstalled = (root: string): boolean =>
  existsSync(join(root, FOLDER, 'node_modules/.package-lock.json'));

/** Its packages are three times as large as the service's, so only tests that need them install them. */
export function ensureSparkSigner(root: string, say: (line: string) => void): void {
  if (isSparkSignerInstalled(root)) return;
  const folder = join(root, FOLDER);
  say(`installing the published signer of Spark in ${FOLDER}, some 300 MB`);
  const { npm_execpath: npm } = process.env;
  const [command, ...before] = npm ? [process.execPath, npm] : ['npm'];
  const args = [...before, 'ci', '--no-audit', '--no-fund'];
  const done = spawnSync(command!, args, { cwd: folder, encoding: 'utf8', timeout: MOST_MS });
  if (done.status === 0) return;
  const said = done.stderr?.split('\n').find((line) => /^npm error (?!code|errno|syscall)/.test(line));
  say(`it could not be installed, so comparisons with it are skipped: ${done.error?.message ?? said ?? 'npm failed'}`);
}
