import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Programs that tests start, and the Debian packages of each. An installation would start the servers of some of them. */
const PACKAGES = {
  nginx: ['nginx'],
  caddy: ['caddy'],
  promtool: ['prometheus'],
  rsyslogd: ['rsyslog', 'rsyslog-openssl', 'libestr0', 'libfastjson4'],
};
const FOLDERS = ['usr/bin', 'usr/sbin'];

export const needsUnpacked = (file: string): boolean =>
  /^tests\/(deploy\/|e2e\/[a-z]+-behind-nginx|workers\/shipping\/shipping-rsyslog)/.test(file);

const isIn = (folders: readonly string[], program: string) => folders.some((folder) => existsSync(join(folder, program)));

function unpack(cache: string, names: readonly string[]): void {
  const draft = `${cache}.${process.pid}.tmp`;
  mkdirSync(draft, { recursive: true });
  const run = (command: string, args: readonly string[]) =>
    spawnSync(command, args, { cwd: draft, stdio: 'ignore' }).status === 0;
  run('apt-get', ['download', ...names]) || (run('apt-get', ['update']) && run('apt-get', ['download', ...names]));
  for (const file of readdirSync(draft).filter((name) => name.endsWith('.deb'))) {
    run('dpkg-deb', ['-x', file, '.']);
    rmSync(join(draft, file));
  }
  rmSync(cache, { recursive: true, force: true });
  renameSync(draft, cache);
}

/** Adds the programs to PATH, from packages that are unpacked in a folder of their own. Where that fails, tests are skipped by name. */
export function ensureUnpacked(root: string, say: (line: string) => void): void {
  const cache = join(root, '.cache/debian');
  const unpacked = FOLDERS.map((folder) => join(cache, folder));
  const installed = (process.env.PATH ?? '').split(delimiter);
  const missing = Object.entries(PACKAGES).filter(([program]) => !isIn(installed, program));
  // The folder is replaced as a whole, so it gets all of them again.
  if (process.platform === 'linux' && missing.some(([program]) => !isIn(unpacked, program))) {
    say(`unpacking for tests: ${missing.map(([program]) => program).join(', ')}`);
    unpack(
      cache,
      missing.flatMap(([, names]) => names),
    );
  }
  process.env.PATH = [...installed, ...unpacked].join(delimiter);
}
