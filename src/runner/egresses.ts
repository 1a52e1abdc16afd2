import { chmodSync, mkdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { systemRandom } from '../base/random.ts';
import type { Allowed } from '../outbound/allowed.ts';
import { guardedConnect } from '../outbound/connect.ts';
import { RunnerRefused } from './hidden.ts';
import { startEgress } from './traffic/egress.ts';
import type { Egress, Log } from './traffic/types.ts';

/** Throws RunnerRefused if the forwarders' user cannot get to the folder. */
function requireReachable(folder: string): void {
  for (let at = folder; at !== dirname(at); at = dirname(at))
    if ((statSync(at).mode & 0o001) === 0)
      throw new RunnerRefused(`${at} is closed to other users, but ways out of apps lead through it: chmod o+x it`);
}

/**
 * Opens the way out of an app. The forwarders' user connects to it, so the sockets have a folder that others may enter. None may list it,
 * and the names are random.
 */
export function openEgresses({ folder, allowed, log }: { folder: string; allowed: Allowed; log: Log }) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { mode: 0o711 });
  chmodSync(folder, 0o711);
  requireReachable(folder);
  const guard = guardedConnect({ allowed });
  return async (deploymentId: string): Promise<Egress> => {
    const socket = join(folder, systemRandom(16).toString('hex'));
    return startEgress({ socket, guard, deploymentId, log });
  };
}
