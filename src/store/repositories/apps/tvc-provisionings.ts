import type { ProvisioningStatus, TvcProvisioning } from '../../../model/tvc/provisioning.ts';
import { type Conn, statement } from '../../statement.ts';
import { values } from '../../table.ts';
import { tvcProvisionings } from '../../tables/tvc-quorum-keys.ts';

type Key = { organizationId: string; deploymentId: string };

const get = statement((db, p: Key) =>
  db
    .selectFrom('tvc_provisionings')
    .select(tvcProvisionings.all)
    .where('organization_id', '=', p.organizationId)
    .where('deployment_id', '=', p.deploymentId),
);
const ofApp = statement((db, p: { org: string; appId: string }) =>
  db
    .selectFrom('tvc_provisionings')
    .select([
      'deployment_id as deploymentId',
      'lease_until as leaseUntil',
      'state',
      'is_ready as isReady',
      'problem',
      'updated_at as updatedAt',
    ])
    .where('organization_id', '=', p.org)
    .where('app_id', '=', p.appId),
);
const free = statement((db, p: { now: number; limit: number }) =>
  db
    .selectFrom('tvc_provisionings')
    .select(tvcProvisionings.all)
    .where('lease_until', '<=', p.now)
    .orderBy('lease_until')
    .limit(p.limit),
);
const insert = statement((db, p: TvcProvisioning) =>
  db
    .insertInto('tvc_provisionings')
    .values(values(tvcProvisionings, p))
    .onConflict((c) => c.columns(['organization_id', 'deployment_id']).doNothing()),
);
const remove = statement((db, p: Key) =>
  db.deleteFrom('tvc_provisionings').where('organization_id', '=', p.organizationId).where('deployment_id', '=', p.deploymentId),
);
const claim = statement((db, p: Key & { runner: string; now: number; until: number }) =>
  db
    .updateTable('tvc_provisionings')
    .set({
      runner: p.runner,
      lease_until: p.until,
      ephemeral_key: null,
      attestation: null,
      state: 'PROVISIONING_STATE_PENDING',
      is_ready: false,
      problem: '',
      updated_at: p.now,
    })
    .where('organization_id', '=', p.organizationId)
    .where('deployment_id', '=', p.deploymentId)
    .where('lease_until', '<=', p.now),
);
const hold = statement((db, p: Key & { runner: string; until: number }) =>
  db
    .updateTable('tvc_provisionings')
    .set({ lease_until: p.until })
    .where('organization_id', '=', p.organizationId)
    .where('deployment_id', '=', p.deploymentId)
    .where('runner', '=', p.runner),
);
const release = statement((db, p: Key & { runner: string; now: number }) =>
  db
    .updateTable('tvc_provisionings')
    .set({ runner: '', lease_until: p.now })
    .where('organization_id', '=', p.organizationId)
    .where('deployment_id', '=', p.deploymentId)
    .where('runner', '=', p.runner),
);
const lock = statement((db, p: Key) =>
  db
    .updateTable('tvc_provisionings')
    .set((eb) => ({ updated_at: eb.ref('updated_at') }))
    .where('organization_id', '=', p.organizationId)
    .where('deployment_id', '=', p.deploymentId),
);
const replace = statement((db, p: TvcProvisioning) =>
  db
    .updateTable('tvc_provisionings')
    .set(values(tvcProvisionings, p))
    .where('organization_id', '=', p.organizationId)
    .where('deployment_id', '=', p.deploymentId),
);
const releaseAll = statement((db) => db.updateTable('tvc_provisionings').set({ lease_until: 0 }).where('lease_until', '>', 0));

export const tvcProvisioningReads = (conn: Conn) => ({
  get: (organizationId: string, deploymentId: string): Promise<TvcProvisioning | undefined> =>
    get.first(conn, { organizationId, deploymentId }),
  /** Those of an app, without keys and documents. */
  ofApp: (org: string, appId: string): Promise<ProvisioningStatus[]> => ofApp.all(conn, { org, appId }),
});

/** For runners, which serve all organizations. */
export const freeDeploymentReads = (conn: Conn) => ({
  /** Those without a lease. Those that have waited longest come first. */
  first: (now: number, limit: number): Promise<TvcProvisioning[]> => free.all(conn, { now, limit }),
});

export const tvcProvisioningWrites = (conn: Conn) => ({
  /** Offers a deployment to runners, unless it is offered already. */
  async insert(provisioning: TvcProvisioning): Promise<void> {
    await insert.run(conn, provisioning);
  },
  async remove(organizationId: string, deploymentId: string): Promise<void> {
    await remove.run(conn, { organizationId, deploymentId });
  },
  /** Gives the lease to a runner, which begins anew. False if another runner has it. */
  async claim({ organizationId, deploymentId }: Key, runner: string, now: number, until: number): Promise<boolean> {
    return (await claim.run(conn, { organizationId, deploymentId, runner, now, until })) === 1;
  },
  /** Renews the lease, and locks the row until the transaction ends. False if the runner has lost it. */
  async hold({ organizationId, deploymentId }: Key, runner: string, until: number): Promise<boolean> {
    return (await hold.run(conn, { organizationId, deploymentId, runner, until })) === 1;
  },
  /** Ends the lease. The runner cannot renew it any more, and deployments that have waited longer come first. */
  async release({ organizationId, deploymentId }: Key, runner: string, now: number): Promise<void> {
    await release.run(conn, { organizationId, deploymentId, runner, now });
  },
  /** Locks the row until the transaction ends, so that its runner reports nothing meanwhile. */
  async lock({ organizationId, deploymentId }: Key): Promise<void> {
    await lock.run(conn, { organizationId, deploymentId });
  },
  /** Replaces the row of the same deployment, which must be held. */
  async replace(provisioning: TvcProvisioning): Promise<void> {
    await replace.run(conn, provisioning);
  },
  /** For a service's time that was set back: no lease ends in its far future. */
  async releaseAll(): Promise<void> {
    await releaseAll.run(conn, {});
  },
});
