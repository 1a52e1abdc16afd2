import { accessSync, constants, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { findCgroups } from './cgroups/find.ts';
import { isLeftover, ownedName, removeLeftovers } from './cgroups/remove.ts';
import type { Cgroups } from './cgroups/types.ts';
import { startGuard } from './guard/start.ts';
import { TOOLS_ENV } from './launch.ts';
import { seccompHere } from './seccomp/program.ts';
import { trySandbox } from './trial.ts';
import { SandboxRefused } from './types.ts';
import { Uids } from './uids.ts';

export interface SandboxSettings {
  /** For the runner's sockets and copies of executables. It is made if missing, and only this user may use it. */
  readonly folder: string;
  /** User IDs that nothing else on this machine uses. The first is the forwarders', the others are the apps'. */
  readonly uids: { readonly first: number; readonly count: number };
}

/** Where apps can be started. */
export interface Sandbox {
  readonly folder: string;
  readonly cgroups: Cgroups;
  readonly seccomp: Buffer;
  readonly uids: Uids;
  readonly forwarderUid: number;
}

const TOOLS = { bash: 'bash', bwrap: 'bubblewrap', setpriv: 'util-linux', prlimit: 'util-linux', nsenter: 'util-linux' };

function hasTool(name: string): boolean {
  return TOOLS_ENV.PATH.split(':').some((folder) => {
    try {
      accessSync(join(folder, name), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

function checkMachine(): Buffer {
  if (process.platform !== 'linux') throw new SandboxRefused('Apps run on Linux only.');
  const seccomp = seccompHere();
  if (seccomp === undefined) throw new SandboxRefused(`Apps run on x64 and arm64 only, and this is ${process.arch}.`);
  const missing = Object.entries(TOOLS).filter(([name]) => !hasTool(name));
  if (missing.length > 0)
    throw new SandboxRefused(`${missing.map(([name, from]) => `${name} is missing: install ${from}`).join('; ')}.`);
  if (process.getuid!() !== 0)
    throw new SandboxRefused(
      'Only root can give each app a user ID of its own. Start the runner as root, in a container or unit without DATA_DIR.',
    );
  return seccomp;
}

/** The longest path of a Unix socket in Linux, in bytes. */
const LONGEST_SOCKET_PATH = 107;

/** A socket of an app is three folders below APPS_FOLDER. */
function requireShort(folder: string): void {
  const socket = join(folder, ownedName('999999'), '65535.sock');
  const over = Buffer.byteLength(socket) - LONGEST_SOCKET_PATH;
  if (over > 0)
    throw new SandboxRefused(
      `Sockets in ${folder} would have paths that are ${over} bytes too long: choose a shorter APPS_FOLDER.`,
    );
}

function openFolder(folder: string): void {
  requireShort(folder);
  try {
    mkdirSync(dirname(folder), { recursive: true });
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new SandboxRefused(`${folder} cannot be made: ${(error as Error).message}. Choose another APPS_FOLDER.`);
  }
  const { uid, mode } = statSync(folder);
  if (uid !== process.getuid!() || (mode & 0o077) !== 0)
    throw new SandboxRefused(`${folder} must belong to the runner's user, and no other may use it: chmod it to 700.`);
  for (const name of readdirSync(folder).filter(isLeftover)) rmSync(join(folder, name), { recursive: true, force: true });
}

/** Checks the machine, and removes what dead runners left. Throws `SandboxRefused` if apps cannot be confined here. */
export async function openSandbox({ folder, uids }: SandboxSettings): Promise<Sandbox> {
  const seccomp = checkMachine();
  trySandbox(uids.first);
  const cgroups = findCgroups();
  const remaining = await removeLeftovers(cgroups);
  if (remaining.length > 0)
    throw new SandboxRefused(`Processes of an earlier runner cannot be ended. Their control groups are ${remaining.join(', ')}.`);
  openFolder(folder);
  await startGuard();
  return { folder, cgroups, seccomp, uids: new Uids(uids.first + 1, uids.count - 1), forwarderUid: uids.first };
}
