import type { Clock } from '../base/clock.ts';
import type { Ids } from '../base/ids.ts';
import type { AttestationVault } from '../custody/types.ts';
import type { Log } from '../engine/ports.ts';
import type { TvcProvisioning } from '../model/tvc/provisioning.ts';
import type { Store, Writer } from '../store/types.ts';

export type Parts = { store: Store; clock: Clock; ids: Ids; attestations: Pick<AttestationVault, 'attest'>; log: Log };

/** How long a deployment stays with a runner that is not heard of. */
export const LEASE_MS = 60_000;

/** Another runner has the deployment, or its ephemeral key changed, or it was deleted: the runner stops it. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';

  /** The default is also for what does not exist, so that a runner learns nothing of other deployments. */
  constructor(message = 'the lease is lost: stop the deployment') {
    super(message);
  }
}

export type Named = { organizationId: string; deploymentId: string; runner: string };

/** Renews the lease and locks its row until the transaction ends. Throws LeaseLost, also for another key than the present one. */
export async function held(tx: Writer, named: Named, now: number, ephemeralKey?: string): Promise<TvcProvisioning> {
  const { organizationId, deploymentId, runner } = named;
  const isHeld = await tx.tvcProvisionings.hold(named, runner, now + LEASE_MS);
  const row = isHeld ? await tx.tvcProvisionings.get(organizationId, deploymentId) : undefined;
  if (row === undefined) throw new LeaseLost();
  if (ephemeralKey !== undefined && row.ephemeralKey !== ephemeralKey)
    throw new LeaseLost('the deployment has another ephemeral key: make a new one');
  return row;
}
