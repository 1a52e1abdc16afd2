import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { elapsedTime, systemClock } from '../base/clock.ts';
import { limitConcurrency } from '../base/concurrency.ts';
import { uuidV7 } from '../base/ids.ts';
import { systemRandom } from '../base/random.ts';
import type { Allowed } from '../outbound/allowed.ts';
import { guardedDownloads } from '../outbound/guard.ts';
import { requireHidden } from './hidden.ts';
import { COMPRESSED_BYTES } from './images/manifest.ts';
import { live } from './life/deployment.ts';
import { holdLeases } from './life/leases.ts';
import type { Log, Parts } from './life/parts.ts';
import { AppRoutes } from './life/routes.ts';
import { openSandbox } from './sandbox/sandbox.ts';
import type { Limits } from './sandbox/types.ts';
import { callsTo } from './service/call.ts';
import { serviceOf } from './service/service.ts';

export type RunnerOptions = {
  /** Of the service. */
  socket: string;
  dataDir: string;
  folder: string;
  imagesDir: string | undefined;
  uids: { first: number; count: number };
  most: number;
  limits: Limits;
  outboundAllow: Allowed;
};

/** An executable of hundreds of megabytes takes minutes. */
const DOWNLOAD = { milliseconds: 600_000, bytes: COMPRESSED_BYTES };
const FETCHES = 2;

/** Runs verifiable apps until the signal. Throws RunnerRefused or SandboxRefused if it must not, or cannot. */
export async function runApps(options: RunnerOptions, log: Log, stop: AbortSignal): Promise<void> {
  const { dataDir, folder, imagesDir, uids, most, limits, outboundAllow: allowed } = options;
  requireHidden(dataDir);
  mkdirSync(folder, { recursive: true, mode: 0o711 });
  const sandbox = await openSandbox({ folder: join(folder, 'apps'), uids });
  const runner = uuidV7(systemClock, systemRandom).next();
  const service = serviceOf(callsTo(options.socket), runner);
  const routes = new AppRoutes();
  const parts: Parts = {
    service,
    sandbox,
    download: guardedDownloads({ allowed, bounds: DOWNLOAD }),
    imagesDir,
    limits,
    routes,
    openEgress: async () => {
      throw new Error('no egress yet');
    },
    fetchTurn: limitConcurrency(FETCHES),
    now: elapsedTime.now,
    time: systemClock.now,
    log,
  };
  log.info({ runner, socket: options.socket, most }, 'the runner of verifiable apps is up');
  await holdLeases({ service, most, now: elapsedTime.now, log, live: (leased, lease) => live(parts, leased, lease) }, stop);
  log.info({ runner }, 'the runner of verifiable apps has stopped');
}
