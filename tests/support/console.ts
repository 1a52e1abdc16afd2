/** The console as the tests' set-up built it. Where its packages are missing, tests of it are skipped, but never in CI. */
import { put, ROOT } from '../../scripts/bundle-place.ts';
import { makeConsole } from '../../scripts/console/build.ts';
import { CONSOLE, isInstalled } from '../../scripts/test/own-packages.ts';

export const noConsole: string | false =
  !process.env.CI && !isInstalled(ROOT, CONSOLE) && 'the packages of the console are not installed: npm run console';

export const buildConsoleOnce = async (): Promise<void> => {
  if (noConsole === false) await makeConsole(ROOT, put);
};
