import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chromiumProgram } from '../../tests/support/chromium.ts';

const APT = '/usr/bin/apt-get';
const INSTALL = ['install', '-y', '--no-install-recommends', 'chromium'];

function apt(args: readonly string[]): boolean {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  return spawnSync(APT, args, { env, stdio: 'ignore' }).status === 0;
}

/** Installs Debian's Chromium if there is none, where this user may: as root, with apt-get. Elsewhere its tests are skipped. */
export function ensureChromium(say: (line: string) => void): void {
  if (chromiumProgram() !== undefined || process.getuid?.() !== 0 || !existsSync(APT)) return;
  say('this machine has no Chromium: installing the package chromium with apt-get');
  const done = apt(INSTALL) || (apt(['update']) && apt(INSTALL));
  if (!done) say('apt-get could not install it');
}
