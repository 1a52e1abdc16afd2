import type { TvcManifestApproval } from '../../../model/tvc/deployment.ts';
import { inLists } from '../../lists.ts';
import { type Conn, dynamic, statement } from '../../statement.ts';
import { values } from '../../table.ts';
import { tvcManifestApprovals } from '../../tables/tvc.ts';

const ofDeployments = dynamic({}, (db, p: { org: string; ids: readonly string[] }) =>
  db
    .selectFrom('tvc_manifest_approvals')
    .select(tvcManifestApprovals.all)
    .where('organization_id', '=', p.org)
    .where('deployment_id', 'in', p.ids),
);
const insert = statement((db, p: TvcManifestApproval) =>
  db
    .insertInto('tvc_manifest_approvals')
    .values(values(tvcManifestApprovals, p))
    .onConflict((c) => c.columns(['organization_id', 'deployment_id', 'operator_id']).doNothing()),
);

export const tvcManifestApprovalReads = (conn: Conn) => ({
  /** The approvals of these deployments, in no order. */
  ofDeployments: (org: string, ids: readonly string[]): Promise<TvcManifestApproval[]> =>
    inLists(ids, (some) => ofDeployments.all(conn, { org, ids: some })),
});

export const tvcManifestApprovalWrites = (conn: Conn) => ({
  /** False if the operator has already approved the deployment's manifest. */
  async insert(approval: TvcManifestApproval): Promise<boolean> {
    return (await insert.run(conn, approval)) === 1;
  },
});
