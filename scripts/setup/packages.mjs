// Whether the packages of package-lock.json are installed, and their installation.
import { copyFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { runNpm } from './npm.mjs';
import { SetupError, say } from './report.mjs';
import { refuseBesideService } from './services.mjs';
import { beside, putInPlace } from './swap.mjs';

const MODULES = 'node_modules';
/** npm writes it at the end of an installation. */
const INSTALLED = join(MODULES, '.package-lock.json');

function entriesOf(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).packages ?? {};
  } catch {
    return {};
  }
}

const isPackage = ([path, { link }]) => path.includes('node_modules/') && !link;

/**
 * Packages of the lock file that are missing, and those that differ, by path. `dev`: with the packages for tests.
 * Optional packages are left out: most are for other machines.
 */
export function differences(root, dev) {
  const locked = entriesOf(join(root, 'package-lock.json'));
  const installed = entriesOf(join(root, INSTALLED));
  const missing = [];
  const other = [];
  for (const [path, entry] of Object.entries(locked).filter(isPackage)) {
    if (entry.optional || (!dev && (entry.dev || entry.devOptional))) continue;
    const found = installed[path];
    if (!found || !existsSync(join(root, path, 'package.json'))) missing.push(path);
    else if (found.version !== entry.version || (found.integrity && entry.integrity && found.integrity !== entry.integrity))
      other.push(path);
  }
  // A test must not lean on what a clean clone would not have.
  if (dev) for (const [path] of Object.entries(installed).filter(isPackage)) if (!locked[path]) other.push(path);
  return { missing, other };
}

/** Why packages have to be installed; undefined if they are there. */
function reason(root, dev) {
  if (!existsSync(join(root, 'package-lock.json'))) return undefined;
  const { missing, other } = differences(root, dev);
  if (missing.length + other.length === 0) return undefined;
  if (!existsSync(join(root, MODULES))) return 'the packages are not installed';
  if (!existsSync(join(root, INSTALLED))) return 'the packages were not installed by npm, or not to the end';
  const [first, count] = [missing[0] ?? other[0], missing.length + other.length];
  const names = `${first.replace(/^.*node_modules\//, '')}${count > 1 ? ` and ${count - 1} more` : ''}`;
  return missing.length > 0 ? `packages are missing (${names})` : `packages are not those of package-lock.json (${names})`;
}

export const packagesAreThere = (root, dev) => reason(root, dev) === undefined;

/**
 * `npm ci` refuses a lock file without the entries of optional packages (binaries for other platforms) that the
 * registry does not serve; it reports those without a version. `npm install` skips them and keeps to the lock file.
 */
export function onlyUnservedOptionals(output) {
  const missing = [...output.matchAll(/(?:Missing|Invalid): (.*)$/gm)].map(([, what]) => what);
  return missing.length > 0 && missing.every((what) => /^\S+@ from lock file/.test(what));
}

function copyManifests(root, site) {
  const { workspaces = [] } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  for (const name of ['package.json', 'package-lock.json', '.npmrc', ...workspaces.map((folder) => `${folder}/package.json`)]) {
    if (!existsSync(join(root, name))) continue;
    mkdirSync(dirname(join(site, name)), { recursive: true });
    copyFileSync(join(root, name), join(site, name));
  }
}

/** Installs what is missing. Only for the holder of the lock; `hold` is called with npm's process. */
export async function ensurePackages(node, root, dev, hold) {
  const why = reason(root, dev);
  if (why === undefined) return;
  refuseBesideService(root, why);
  const before = Object.values(entriesOf(join(root, INSTALLED)));
  // An installation without the packages for tests stays so.
  const production = !dev && before.length > 0 && !before.some((entry) => entry.dev);
  await beside(root, MODULES, async (site) => {
    say(`${why}: installing`);
    copyManifests(root, site);
    const options = [production ? '--omit=dev' : '--include=dev', '--include=optional', '--no-fund', '--no-audit'];
    // Under the runtime that will use them: npm leaves out packages that do not fit the Node.js it runs on.
    try {
      await runNpm(node, ['ci', ...options], site, hold);
    } catch (error) {
      if (!onlyUnservedOptionals(error.message)) throw error;
      await runNpm(node, ['install', '--no-save', ...options], site, hold);
    }
    const still = reason(site, dev);
    if (still !== undefined) throw new SetupError(`npm has installed what it found, and still ${still}`);
    refuseBesideService(root, why);
    putInPlace(root, MODULES, join(site, MODULES));
  });
}

/** For commands that never install: throws if packages are missing, warns if they differ. */
export function demandPackages(root) {
  const { missing, other } = differences(root, false);
  if (missing.length > 0) throw new SetupError(`${reason(root, false)}: run \`npm start\` once, or \`npm ci --omit=dev\``);
  if (other.length > 0)
    say(`${reason(root, false)}; going on with them. To renew them, stop the service and start it with npm start`);
}
