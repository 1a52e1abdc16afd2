import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { isSparkSignerInstalled } from '../../tests/crypto/spark/published-signer.ts';

/** A registry that does not answer must not hold the tests up. */
const MOST_MS = 5 * 60_000;

/** Its packages are three times as large as the service's, so only tests that need them install them. */
export function ensureSparkSigner(root: string, say: (line: string) => void): void {
  if (isSparkSignerInstalled()) return;
  const folder = join(root, 'tests/spark-signer');
  say('installing the published signer of Spark in tests/spark-signer, some 300 MB');
  const { npm_execpath: npm } = process.env;
  const [command, ...before] = npm ? [process.execPath, npm] : ['npm'];
  const args = [...before, 'ci', '--no-audit', '--no-fund'];
  const done = spawnSync(command!, args, { cwd: folder, encoding: 'utf8', timeout: MOST_MS });
  if (done.status === 0) return;
  const said = done.stderr?.split('\n').find((line) => /^npm error (?!code|errno|syscall)/.test(line));
  say(`it could not be installed, so comparisons with it are skipped: ${done.error?.message ?? said ?? 'npm failed'}`);
}
