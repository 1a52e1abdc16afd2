import type { TvcProvisioningShare } from '../../../model/tvc/provisioning.ts';
import { type Conn, statement } from '../../statement.ts';
import { values } from '../../table.ts';
import { tvcProvisioningShares } from '../../tables/tvc-quorum-keys.ts';

type Key = { org: string; deploymentId: string };

const ofDeployment = statement((db, p: Key) =>
  db
    .selectFrom('tvc_provisioning_shares')
    .select(tvcProvisioningShares.all)
    .where('organization_id', '=', p.org)
    .where('deployment_id', '=', p.deploymentId),
);
const insert = statement((db, p: TvcProvisioningShare) =>
  db
    .insertInto('tvc_provisioning_shares')
    .values(values(tvcProvisioningShares, p))
    .onConflict((c) => c.columns(['organization_id', 'deployment_id', 'operator_id']).doNothing()),
);
const empty = statement((db, p: Key & { sealed: Buffer }) =>
  db
    .updateTable('tvc_provisioning_shares')
    .set({ sealed: p.sealed })
    .where('organization_id', '=', p.org)
    .where('deployment_id', '=', p.deploymentId),
);
const remove = statement((db, p: Key) =>
  db.deleteFrom('tvc_provisioning_shares').where('organization_id', '=', p.org).where('deployment_id', '=', p.deploymentId),
);

const NOTHING = Buffer.alloc(0);

export const tvcProvisioningShareReads = (conn: Conn) => ({
  /** In the order in which they were posted. */
  async ofDeployment(org: string, deploymentId: string): Promise<TvcProvisioningShare[]> {
    return (await ofDeployment.all(conn, { org, deploymentId })).sort((a, b) => (a.id < b.id ? -1 : 1));
  },
});

export const tvcProvisioningShareWrites = (conn: Conn) => ({
  /** False if the operator has posted a share already. */
  async insert(share: TvcProvisioningShare): Promise<boolean> {
    return (await insert.run(conn, share)) === 1;
  },
  /** Keeps the operators' approvals without their shares. */
  async empty(org: string, deploymentId: string): Promise<void> {
    await empty.run(conn, { org, deploymentId, sealed: NOTHING });
  },
  async remove(org: string, deploymentId: string): Promise<void> {
    await remove.run(conn, { org, deploymentId });
  },
});
