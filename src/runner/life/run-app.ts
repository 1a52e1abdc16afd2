import { setTimeout as wait } from 'node:timers/promises';
import { type App, startApp } from '../sandbox/app.ts';
import type { Executable } from '../sandbox/executable.ts';
import { type Limits, SandboxRefused } from '../sandbox/types.ts';
import type { Leased } from '../service/service.ts';
import type { Approved } from './approved.ts';
import type { DebugLog } from './debug-log.ts';
import { grpcHealth, httpHealth } from './health.ts';
import type { Lease } from './lease.ts';
import type { Parts } from './parts.ts';
import type { Report } from './reporter.ts';
import { watchHealth } from './watch.ts';

/** How long a stopped app may take to end. */
export const GRACE_MS = 5_000;
const FIRST_DELAY_MS = 1_000;
const LONGEST_DELAY_MS = 60_000;
/** An app that was ready for this time starts again without a delay that grew. */
const STEADY_MS = 60_000;

/** The port of an app's loopback that leads to the proxy of the runner. */
export const EGRESS_PORT = 3128;

const GIB = 1024 ** 3;
const DAY_MS = 86_400_000;

export type Running = {
  leased: Leased;
  approved: Approved;
  lease: Lease;
  executable: Executable;
  /** The seed of its quorum key. */
  key: Buffer;
  report: Report;
  debug: DebugLog;
};

/** What the deployment asks for, and at most what the operator allows. */
const limitsOf = (most: Limits, { cpus = Infinity, ram = Infinity }: Leased['instanceSize']): Limits => ({
  ...most,
  cpus: Math.min(most.cpus, cpus),
  memoryBytes: Math.min(most.memoryBytes, Math.ceil(ram * GIB)),
});

/** Runs the app until it ends, and tells why it ended. `onReady`: it answers its health check. */
async function runOnce(parts: Parts, running: Running, onReady: () => void): Promise<string> {
  const { leased, approved, lease, executable, key, report, debug } = running;
  const { healthCheckType, healthCheckPort, publicIngressPort } = leased;
  const egress = leased.enableEgress ? await parts.openEgress(leased.deploymentId) : undefined;
  try {
    const app: App = await startApp(parts.sandbox, {
      executable,
      args: approved.manifest.pivot.args,
      environment: {},
      key,
      limits: limitsOf(parts.limits, leased.instanceSize),
      ports: [...new Set([healthCheckPort, publicIngressPort])],
      ...(egress && { egress: { port: EGRESS_PORT, socket: egress.socket } }),
      onLine: (_, line) => debug.write(line),
    });
    const stop = AbortSignal.any([lease.lost, lease.lapse]);
    const stopIt = () => void app.stop(GRACE_MS, String(stop.reason));
    if (stop.aborted) stopIt();
    stop.addEventListener('abort', stopIt, { once: true });
    const ended = new AbortController();
    const watched = watchHealth({
      check: healthCheckType === 'TVC_HEALTH_CHECK_TYPE_GRPC' ? grpcHealth : httpHealth,
      socket: app.socketOf(healthCheckPort),
      ended: ended.signal,
      now: parts.now,
      rest: (ms) => wait(ms, undefined, { signal: ended.signal }).catch(() => {}),
      onReady() {
        parts.routes.set(leased.appId, lease, app.socketOf(publicIngressPort));
        report('ready');
        onReady();
      },
    });
    watched.then((why) => {
      if (why !== undefined) void app.stop(GRACE_MS, why);
    });
    const { text } = await app.ended;
    ended.abort();
    stop.removeEventListener('abort', stopIt);
    return text;
  } catch (error) {
    if (error instanceof SandboxRefused) return error.message;
    throw error;
  } finally {
    parts.routes.set(leased.appId, lease, undefined);
    await egress?.close();
  }
}

/** Runs the app again and again, with the same key, until the lease is lost. Then it throws. */
export async function runApp(parts: Parts, running: Running): Promise<never> {
  const { lease, report, debug, approved } = running;
  const { organizationId, deploymentId } = lease.place;
  let delay = FIRST_DELAY_MS;
  for (;;) {
    await lease.held();
    let readyAt: number | undefined;
    const why = await runOnce(parts, running, () => {
      readyAt = parts.now();
      parts.log.info({ organizationId, deploymentId }, 'an app is ready');
    });
    debug.write(`runner: ${why}`);
    parts.log.warn({ organizationId, deploymentId, why }, 'an app has ended');
    report('unhealthy', why);
    const isOver = approved.manifest.pivot.restart === 'Never' && !lease.lapse.aborted;
    while (isOver) await lease.rest(DAY_MS);
    if (readyAt !== undefined && parts.now() - readyAt > STEADY_MS) delay = FIRST_DELAY_MS;
    await lease.rest(delay);
    delay = Math.min(2 * delay, LONGEST_DELAY_MS);
  }
}
