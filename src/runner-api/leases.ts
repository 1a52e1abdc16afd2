import { manifestEnvelope } from '../domain/tvc/envelope.ts';
import { setsOf } from '../domain/tvc/views.ts';
import type { TvcProvisioning } from '../model/tvc/provisioning.ts';
import type { Reader, Writer } from '../store/types.ts';
import { LEASE_MS, type Named, type Parts } from './parts.ts';

type Key = Pick<Named, 'organizationId' | 'deploymentId'>;

/** The order in which rows are locked, so that two runners never wait for each other. */
const inOrder = <K extends Key>(keys: readonly K[]): K[] => keys.toSorted((a, b) => (a.deploymentId < b.deploymentId ? -1 : 1));

/** What a runner learns of a deployment. The manifest says what its operators approved. */
async function described(read: Reader, { organizationId, deploymentId, appId }: TvcProvisioning) {
  const deployment = await read.tvcDeployments.get(organizationId, deploymentId);
  const app = await read.tvcApps.get(organizationId, appId);
  // Its organization was deleted meanwhile.
  if (deployment === undefined || app === undefined) return undefined;
  const envelope = await manifestEnvelope(read, deployment, await setsOf(read, app));
  return {
    organizationId,
    deploymentId,
    appId,
    isLive: app.liveDeploymentId === deploymentId,
    enableEgress: app.enableEgress,
    manifestHash: deployment.manifestHash,
    manifestEnvelope: envelope.toString('base64'),
    containerUrl: deployment.containerUrl,
    pivotPath: deployment.pivotPath,
    healthCheckType: deployment.healthCheckType,
    healthCheckPort: deployment.healthCheckPort,
    publicIngressPort: deployment.publicIngressPort,
    instanceSize: deployment.instanceSize,
  };
}

/** Gives deployments without a lease to a runner. Shares for an earlier runner are removed. */
export async function lease({ store, clock, log }: Parts, { runner, most }: { runner: string; most: number }) {
  const now = clock.now();
  const free = await store.read.freeDeployments.first(now, most);
  const claim = async (tx: Writer) => {
    const claimed: TvcProvisioning[] = [];
    for (const one of inOrder(free)) {
      if (!(await tx.tvcProvisionings.claim(one, runner, now, now + LEASE_MS))) continue;
      await tx.tvcProvisioningShares.remove(one.organizationId, one.deploymentId);
      claimed.push(one);
    }
    return claimed;
  };
  const claimed = free.length === 0 ? [] : await store.transaction(claim);
  const deployments = [];
  for (const one of claimed) {
    const { organizationId, deploymentId } = one;
    log.info({ organizationId, deploymentId, runner }, 'a runner has leased a deployment; its operators post shares again');
    const shown = await described(store.read, one);
    if (shown !== undefined) deployments.push(shown);
  }
  return { leaseMs: LEASE_MS, deployments };
}

const DAY_MS = 24 * 60 * 60 * 1000;
/** The most old logs that one call deletes. */
const SWEPT = 100;

/** Renews leases. Those that are not in the answer are lost: the runner stops these deployments. */
export async function heartbeat(
  { store, clock }: Parts,
  { runner, deployments }: { runner: string; deployments: readonly Key[] },
) {
  const now = clock.now();
  return store.transaction(async (tx) => {
    const kept: (Key & { isLive: boolean })[] = [];
    for (const { organizationId, deploymentId } of inOrder(deployments)) {
      if (!(await tx.tvcProvisionings.hold({ organizationId, deploymentId }, runner, now + LEASE_MS))) continue;
      const row = await tx.tvcProvisionings.get(organizationId, deploymentId);
      const app = row && (await tx.tvcApps.get(organizationId, row.appId));
      kept.push({ organizationId, deploymentId, isLive: app?.liveDeploymentId === deploymentId });
    }
    await tx.tvcDebugLogs.sweep(now - DAY_MS, SWEPT);
    return { leaseMs: LEASE_MS, deployments: kept };
  });
}

/** Gives leases back, so that another runner may take the deployments at once. */
export async function release({ store, clock }: Parts, { runner, deployments }: { runner: string; deployments: readonly Key[] }) {
  await store.transaction(async (tx) => {
    for (const key of inOrder(deployments)) await tx.tvcProvisionings.release(key, runner, clock.now());
  });
  return {};
}
