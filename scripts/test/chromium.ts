import { chromiumProgram } from '../../tests/support/chromium.ts';
import { installPackages } from './debian.ts';

/** Installs Debian's Chromium if there is none. Where it cannot be installed, its tests are skipped. */
export function ensureChromium(say: (line: string) => void): void {
  if (chromiumProgram() === undefined) installPackages(['chromium'], say);
}
