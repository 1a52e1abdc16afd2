import { setTimeout as wait } from 'node:timers/promises';
import { Silent } from '../service/call.ts';
import type { Leased, Service } from '../service/service.ts';
import type { Log } from '../traffic/types.ts';
import { Lease } from './lease.ts';

const LOOK_MS = 1_000;
/** A lease lasts 60 s. */
const HEARTBEAT_MS = 10_000;
/** Apps are stopped this long before another runner may have the lease: the grace, and the time to kill. */
const STOP_BEFORE_MS = 15_000;
const MOST_A_CALL = 16;

type Held = { lease: Lease; ended: Promise<void> };

type Options = {
  service: Service;
  most: number;
  now(): number;
  log: Log;
  live(leased: Leased, lease: Lease): Promise<void>;
};

/** Leases deployments and renews the leases, until the signal. Resolves once every deployment has ended and is given back. */
export async function holdLeases({ service, most, now, log, live }: Options, stop: AbortSignal): Promise<void> {
  const held = new Map<string, Held>();
  let heartAt = -Infinity;
  let isSilent = false;

  function begin(leased: Leased, heldUntil: number): void {
    const { deploymentId } = leased;
    const before = held.get(deploymentId);
    // The service would not give it again if we still had it.
    before?.lease.lose('The lease was lost.');
    const lease = new Lease(leased, leased.isLive, heldUntil);
    const ended = (before?.ended ?? Promise.resolve()).then(() => live(leased, lease));
    const one = { lease, ended };
    held.set(deploymentId, one);
    ended.finally(() => held.get(deploymentId) === one && held.delete(deploymentId));
  }

  /** A lease is counted from before its call, so it ends here before it ends in the service. */
  async function heartbeat(): Promise<void> {
    const asked = [...held.values()].map(({ lease }) => lease);
    const sentAt = now();
    const { leaseMs, deployments } = await service.heartbeat(asked.map(({ place }) => place));
    heartAt = sentAt;
    const kept = new Map(deployments.map((one) => [one.deploymentId, one.isLive]));
    for (const lease of asked) {
      const isLive = kept.get(lease.place.deploymentId);
      if (isLive === undefined) lease.lose('Another runner has it, or it was deleted.');
      else lease.renew(sentAt + leaseMs, isLive);
    }
  }

  async function look(): Promise<void> {
    if (now() - heartAt >= HEARTBEAT_MS || isSilent) await heartbeat();
    const room = Math.min(most - held.size, MOST_A_CALL);
    if (room < 1) return;
    const sentAt = now();
    const { leaseMs, deployments } = await service.lease(room);
    for (const leased of deployments) begin(leased, sentAt + leaseMs);
  }

  const checking = setInterval(() => {
    for (const { lease } of held.values()) lease.check(now(), STOP_BEFORE_MS);
  }, LOOK_MS);
  while (!stop.aborted) {
    try {
      await look();
      if (isSilent) log.info({}, 'the service answers again');
      isSilent = false;
    } catch (error) {
      if (!isSilent)
        log.warn(
          { why: (error as Error).message },
          'the service does not answer at APPS_SOCKET or APPS_SERVICE_URL: apps run until their leases end',
        );
      if (!(error instanceof Silent)) log.error({ error }, 'a look for deployments failed');
      isSilent = true;
    }
    await wait(LOOK_MS, undefined, { signal: stop }).catch(() => {});
  }

  const all = [...held.values()];
  for (const { lease } of all) lease.lose('The runner was stopped.');
  await Promise.all(all.map(({ ended }) => ended));
  clearInterval(checking);
  if (all.length > 0) await service.release(all.map(({ lease }) => lease.place)).catch(() => {});
}
