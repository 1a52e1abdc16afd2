import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const APT = '/usr/bin/apt-get';

function apt(args: readonly string[]): boolean {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  return spawnSync(APT, args, { env, stdio: 'ignore' }).status === 0;
}

/** Installs packages of Debian where this user may: as root, with apt-get. */
export function installPackages(packages: readonly string[], say: (line: string) => void): void {
  if (process.getuid?.() !== 0 || !existsSync(APT)) return;
  say(`installing with apt-get: ${packages.join(', ')}`);
  const install = ['install', '-y', '--no-install-recommends', ...packages];
  const done = apt(install) || (apt(['update']) && apt(install));
  if (!done) say('apt-get could not install it');
}
