import { chmodSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { elapsedTime, systemClock } from '../base/clock.ts';
import { uuidV7 } from '../base/ids.ts';
import { systemRandom } from '../base/random.ts';
import type { Allowed } from '../outbound/allowed.ts';
import { guardedDownloads } from '../outbound/guard.ts';
import { openEgresses } from './egresses.ts';
import { RunnerRefused, requireFolder, requireHidden } from './hidden.ts';
import { COMPRESSED_BYTES } from './images/manifest.ts';
import { live } from './life/deployment.ts';
import { fetchTurns } from './life/fetch-turns.ts';
import type { Lease } from './life/lease.ts';
import { leaseClock } from './life/lease-clock.ts';
import { holdLeases } from './life/leases.ts';
import type { Parts } from './life/parts.ts';
import { AppRoutes } from './life/routes.ts';
import { openSandbox } from './sandbox/sandbox.ts';
import type { Limits } from './sandbox/types.ts';
import { callsTo, type ServiceAddress } from './service/call.ts';
import { type Leased, serviceOf } from './service/service.ts';
import { startIngress } from './traffic/ingress.ts';
import type { Log } from './traffic/types.ts';

export type RunnerOptions = {
  /** Where the service is. `ca`: a file. */
  service: { socket: string } | { url: string; token: string; ca: string | undefined };
  dataDir: string;
  folder: string;
  imagesDir: string | undefined;
  uids: { first: number; count: number };
  most: number;
  limits: Limits;
  outboundAllow: Allowed;
  /** Where it listens for traffic of apps, and the domain of their names. */
  host: string;
  port: number;
  domain: string;
  trustedProxies: readonly string[];
};

/** An executable of hundreds of megabytes takes minutes. */
const DOWNLOAD = { milliseconds: 600_000, bytes: COMPRESSED_BYTES };
const FETCHES = 4;

/** Runs verifiable apps until the signal. Throws RunnerRefused or SandboxRefused if it must not, or cannot. */
export async function runApps(options: RunnerOptions, log: Log, stop: AbortSignal): Promise<void> {
  const { dataDir, folder, imagesDir, uids, most, limits, outboundAllow: allowed } = options;
  requireHidden(dataDir);
  const runner = uuidV7(systemClock, systemRandom).next();
  const place = reached(options.service);
  const service = serviceOf(callsTo(place), runner);
  const routes = new AppRoutes();
  const { host, port, domain, trustedProxies } = options;
  // First, so that a second runner by mistake touches nothing of this one.
  const ingress = await listening(startIngress({ host, port, domain, trustedProxies, routes, log }), options);
  try {
    const sandbox = await openSandbox({ folder: join(folder, 'apps'), uids });
    chmodSync(folder, 0o711);
    if (imagesDir !== undefined) requireFolder('APPS_IMAGES_DIR', imagesDir);
    const parts: Parts = {
      service,
      sandbox,
      download: guardedDownloads({ allowed, bounds: DOWNLOAD }),
      imagesDir,
      limits,
      routes,
      openEgress: openEgresses({ folder: join(folder, 'egress'), allowed, log }),
      fetchTurn: fetchTurns(FETCHES),
      now: elapsedTime.now,
      time: systemClock.now,
      log,
    };
    log.info(
      { runner, service: 'url' in place ? place.url : place.socket, host, port: ingress.port, domain, most },
      'the runner of verifiable apps is up',
    );
    const begin = (leased: Leased, lease: Lease) => live(parts, leased, lease);
    await holdLeases({ service, most, now: leaseClock(elapsedTime, systemClock), log, live: begin }, stop);
  } finally {
    await ingress.close();
  }
  log.info({ runner }, 'the runner of verifiable apps has stopped');
}

/** With the certificate of APPS_CA. Throws RunnerRefused if it cannot be read. */
function reached(service: RunnerOptions['service']): ServiceAddress {
  if (!('url' in service) || service.ca === undefined) return service as ServiceAddress;
  try {
    return { ...service, ca: readFileSync(service.ca) };
  } catch (error) {
    throw new RunnerRefused(`APPS_CA cannot be read: ${(error as Error).message}`);
  }
}

/** Throws RunnerRefused if the address cannot be used. */
async function listening<T>(starting: Promise<T>, { host, port }: RunnerOptions): Promise<T> {
  try {
    return await starting;
  } catch (error) {
    throw new RunnerRefused(`APPS_PORT ${port} on APPS_HOST ${host} cannot be used: ${(error as Error).message}`);
  }
}
