// Whether the packages of package-lock.json are installed, and their installation.
import {
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { refuseBesideService } from './held.mjs';
import { runNpm } from './npm.mjs';
import { beside, moving, putInPlace } from './place.mjs';
import { SetupError, say, step } from './report.mjs';

export const MODULES = 'node_modules';
/** npm removes it with the packages: one who runs npm by hand may not want that set-up fetches more. */
const OURS = join(MODULES, '.installed-by-set-up');

/** Whether set-up installed the packages that are there. */
export const areOurs = (root) => existsSync(join(root, OURS));
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

const isOther = (found, { version, integrity }) =>
  found.version !== version || Boolean(found.integrity && integrity && found.integrity !== integrity);

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
    else if (isOther(found, entry)) other.push(path);
  }
  // A test must not lean on what a clean clone would not have.
  if (dev) for (const [path] of Object.entries(installed).filter(isPackage)) if (!locked[path]) other.push(path);
  return { missing, other };
}

/** Why packages have to be installed; undefined if they are there. */
export function reason(root, dev) {
  if (!existsSync(join(root, 'package-lock.json'))) return undefined;
  const { missing, other } = differences(root, dev);
  if (missing.length + other.length === 0) return undefined;
  if (!existsSync(join(root, MODULES))) return 'the packages are not installed';
  if (!existsSync(join(root, INSTALLED))) return 'the packages were not installed by npm, or not to the end';
  const [first, count] = [missing[0] ?? other[0], missing.length + other.length];
  const names = `${first.replace(/^.*node_modules\//, '')}${count > 1 ? ` and ${count - 1} more` : ''}`;
  return missing.length > 0 ? `packages are missing (${names})` : `packages are not those of package-lock.json (${names})`;
}

const packagesAreThere = (root, dev) => reason(root, dev) === undefined;

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

/** Whether the service's packages are complete, and no installed package would change or go. */
function onlyLacksOthers(root) {
  const locked = entriesOf(join(root, 'package-lock.json'));
  const installed = Object.entries(entriesOf(join(root, INSTALLED))).filter(isPackage);
  return packagesAreThere(root, false) && installed.every(([path, entry]) => locked[path] && !isOther(entry, locked[path]));
}

/** Moves the packages of `site` that the root lacks. No file of the root is touched but npm's record. */
function addPackages(root, site) {
  const there = entriesOf(join(root, INSTALLED));
  const move = (path) => {
    // One that is not in npm's record is of an addition that was killed.
    rmSync(join(root, path), { recursive: true, force: true });
    mkdirSync(dirname(join(root, path)), { recursive: true });
    renameSync(join(site, path), join(root, path));
  };
  // A package comes before those in its own folder, which are moved with it.
  for (const path of Object.keys(entriesOf(join(site, INSTALLED))).sort()) {
    if (!path.startsWith(`${MODULES}/`) || there[path] || !existsSync(join(site, path))) continue;
    move(path);
    const commands = join(path.slice(0, path.lastIndexOf(MODULES)), MODULES, '.bin');
    for (const name of existsSync(join(site, commands)) ? readdirSync(join(site, commands)) : [])
      if (lstatSync(join(root, commands, name), { throwIfNoEntry: false }) === undefined) move(join(commands, name));
  }
  renameSync(join(site, INSTALLED), join(root, INSTALLED));
}

const SERVICE = { what: 'the packages of the service', megabytes: 95 };
const ALL = { what: 'also the packages for tests and examples', megabytes: 755 };

async function install(node, site, withTests, flags) {
  const options = [withTests ? '--include=dev' : '--omit=dev', '--include=optional', '--no-fund', '--no-audit'];
  // Under the runtime that will use them: npm leaves out packages that do not fit the Node.js it runs on.
  try {
    await runNpm(node, ['ci', ...options], site, flags);
  } catch (error) {
    if (!onlyUnservedOptionals(error.message)) throw error;
    await runNpm(node, ['install', '--no-save', ...options], site, flags);
  }
}

/** Installs what is missing. `all`: what it is with the packages for tests. Only for the holder of the lock. */
export async function ensurePackages(node, root, dev, all = ALL) {
  const why = reason(root, dev);
  if (why === undefined) return;
  const adds = onlyLacksOthers(root);
  if (!adds) refuseBesideService(root, why);
  const withTests = dev || Object.values(entriesOf(join(root, INSTALLED))).some((entry) => entry.dev);
  await beside(root, async (site) => {
    copyManifests(root, site);
    const { what, megabytes, flags } = withTests ? all : SERVICE;
    await step(`${why}: installing ${what}`, { megabytes, folder: site }, () => install(node, site, withTests, flags));
    const still = reason(site, dev);
    if (still !== undefined) throw new SetupError(`npm has installed what it found, and still ${still}`);
    if (adds) return moving(join(root, MODULES), () => addPackages(root, site));
    refuseBesideService(root, why);
    writeFileSync(join(site, OURS), '');
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
