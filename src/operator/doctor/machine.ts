import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { checkSpace } from '../../app/disk.ts';
import { credentialsFile } from '../../app/root-credentials.ts';
import { DATABASE_FILE } from '../../base/files.ts';
import type { Config } from '../../config.ts';
import { type Found, ok, problem, warning } from './finding.ts';

/** The oldest versions of Node.js, by their major number, that run the sources. */
const OLDEST = { major: 22, minor: 18 };

export function checkRuntime(version = process.versions.node): Found[] {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major < OLDEST.major || (major === OLDEST.major && minor < OLDEST.minor))
    return [problem(`Node.js ${version} is too old`, `install Node.js ${OLDEST.major}.${OLDEST.minor} or newer`)];
  return [ok(`Node.js ${version} on ${process.platform}`)];
}

export function checkDisk({ dataDir }: Config): Found[] {
  if (!existsSync(dataDir)) return [warning(`DATA_DIR ${dataDir} does not exist`, 'start the service once, or set DATA_DIR')];
  try {
    const little = checkSpace(dataDir);
    return [
      little === undefined ? ok('there is room on the disk of DATA_DIR') : warning(little.message, 'delete or move other files'),
    ];
  } catch (error) {
    return [problem((error as Error).message, 'delete or move other files, or enlarge the disk')];
  }
}

const OTHERS = 0o077;

/** Windows has no such modes. */
export function checkFiles(config: Config): Found[] {
  const { dataDir, rootKey } = config;
  if (process.platform === 'win32') return [ok('file permissions are not checked on Windows')];
  if (!existsSync(dataDir)) return [];
  const databases = readdirSync(dataDir).filter((name) => name.startsWith(DATABASE_FILE));
  const inside = [...databases.map((name) => join(dataDir, name)), credentialsFile(config)];
  const files = rootKey.provider === 'file' ? [...inside, rootKey.path] : inside;
  const isOpen = (statSync(dataDir).mode & OTHERS) !== 0;
  // The folder keeps other users from all that is in it, but not from a key that is elsewhere.
  const reachable = files.filter((file) => existsSync(file) && (isOpen || !file.startsWith(dataDir)));
  const open = reachable.filter((file) => (statSync(file).mode & OTHERS) !== 0);
  if (open.length === 0) return [ok('no other user of this machine can use the files of the service')];
  return open.map((file) => problem(`other users of this machine can use ${file}`, `chmod 600 ${file}`));
}
