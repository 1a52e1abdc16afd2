/** Packages that some tests compare with. They are large, so they have folders of their own, and only those tests install them. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** A registry that does not answer must not hold the tests up. */
const MOST_MS = 5 * 60_000;

export type OwnPackages = { folder: string; name: string; size: string };

export const SPARK_SIGNER: OwnPackages = { folder: 'tests/spark-signer', name: 'the published signer of Spark', size: '300 MB' };
export const WALLET_KIT: OwnPackages = { folder: 'examples/react-wallet-kit', name: 'the published wallet kit', size: '350 MB' };

export const CONSOLE: OwnPackages = { folder: 'console', name: 'the console', size: '55 MB' };

export const OPENAPI_TOOLS: OwnPackages = { folder: 'tests/openapi', name: 'the linter of API documents', size: '60 MB' };

/** Whether the installation is complete: npm writes this file last. */
export const isInstalled = (root: string, { folder }: OwnPackages): boolean =>
  existsSync(join(root, folder, 'node_modules/.package-lock.json'));

/** Undefined, or why the tests that need them are skipped. */
export const missing = (root: string, packages: OwnPackages): string | undefined =>
  isInstalled(root, packages)
    ? undefined
    : `${packages.name} is not installed: npm test -- --full installs it in ${packages.folder}, or npm ci there`;

export function ensureInstalled(root: string, packages: OwnPackages, say: (line: string) => void): void {
  if (isInstalled(root, packages)) return;
  const { folder, name, size } = packages;
  say(`installing ${name} in ${folder}, some ${size}`);
  const { npm_execpath: npm } = process.env;
  const [command, ...before] = npm ? [process.execPath, npm] : ['npm'];
  const args = [...before, 'ci', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline'];
  const done = spawnSync(command!, args, { cwd: join(root, folder), encoding: 'utf8', timeout: MOST_MS });
  if (done.status === 0) return;
  const said = done.stderr?.split('\n').find((line) => /^npm error (?!code|errno|syscall)/.test(line));
  say(`it could not be installed, so comparisons with it are skipped: ${done.error?.message ?? said ?? 'npm failed'}`);
}
