import type { TvcDeployment } from '../../../model/tvc/deployment.ts';
import type { Page } from '../../page.ts';
import { ascending, boundsOf } from '../../pages.ts';
import { inRange } from '../../ranges.ts';
import { type Conn, dynamic, statement } from '../../statement.ts';
import { values } from '../../table.ts';
import { tvcDeployments } from '../../tables/tvc.ts';
import type { Upkeep } from '../upkeep.ts';

type Paging = { org: string; appId: string; after: string | undefined; before: string | undefined; limit: number };

type DeploymentState = Pick<TvcDeployment, 'id' | 'deleted' | 'approvedAt' | 'updatedAt'>;

const get = statement((db, p: { org: string; id: string }) =>
  db.selectFrom('tvc_deployments').select(tvcDeployments.all).where('organization_id', '=', p.org).where('id', '=', p.id),
);
const byManifest = statement((db, p: { org: string; manifestId: string }) =>
  db
    .selectFrom('tvc_deployments')
    .select(tvcDeployments.all)
    .where('organization_id', '=', p.org)
    .where('manifest_id', '=', p.manifestId),
);
const ofNonce = statement((db, p: { org: string; appId: string; nonce: number }) =>
  db
    .selectFrom('tvc_deployments')
    .select('id')
    .where('organization_id', '=', p.org)
    .where('app_id', '=', p.appId)
    .where('nonce', '=', p.nonce),
);
const ofApp = dynamic({ after: true, before: true }, (db, p: Paging) =>
  inRange(db.selectFrom('tvc_deployments').select(tvcDeployments.all).where('organization_id', '=', p.org), {
    fixed: [['app_id', p.appId]],
    key: 'id',
    ...boundsOf(p),
  }),
);
const states = dynamic({ after: true, before: true }, (db, p: Paging) =>
  inRange(
    db
      .selectFrom('tvc_deployments')
      .select(['id', 'deleted', 'approved_at as approvedAt', 'updated_at as updatedAt'])
      .where('organization_id', '=', p.org),
    { fixed: [['app_id', p.appId]], key: 'id', ...boundsOf(p) },
  ),
);
const insert = statement((db, p: TvcDeployment) => db.insertInto('tvc_deployments').values(values(tvcDeployments, p)));
const replace = statement((db, p: TvcDeployment) =>
  db
    .updateTable('tvc_deployments')
    .set(values(tvcDeployments, p))
    .where('organization_id', '=', p.organizationId)
    .where('id', '=', p.id),
);
const deleteOfApp = statement((db, p: { org: string; appId: string; now: number }) =>
  db
    .updateTable('tvc_deployments')
    .set({ deleted: true, updated_at: p.now })
    .where('organization_id', '=', p.org)
    .where('app_id', '=', p.appId)
    .where('deleted', '=', false),
);

export const tvcDeploymentReads = (conn: Conn) => ({
  get: (org: string, id: string): Promise<TvcDeployment | undefined> => get.first(conn, { org, id }),
  byManifest: (org: string, manifestId: string): Promise<TvcDeployment | undefined> =>
    byManifest.first(conn, { org, manifestId }),
  hasNonce: async (org: string, appId: string, nonce: number): Promise<boolean> =>
    (await ofNonce.first(conn, { org, appId, nonce })) !== undefined,
  /** Those of an app in the order of creation, with deleted ones. */
  async pageOfApp(org: string, appId: string, page: Page): Promise<TvcDeployment[]> {
    const { after, before, limit } = page;
    return ascending(await ofApp.all(conn, { org, appId, after, before, limit }), page);
  },
  /** The same, without their long members. */
  async statesOfApp(org: string, appId: string, page: Page): Promise<DeploymentState[]> {
    const { after, before, limit } = page;
    return ascending(await states.all(conn, { org, appId, after, before, limit }), page);
  },
});

export const tvcDeploymentWrites = (conn: Conn, { counts }: Upkeep) => ({
  async insert(deployment: TvcDeployment): Promise<void> {
    await insert.run(conn, deployment);
    counts.add(deployment.organizationId, 'tvcDeploymentCount', 1);
  },
  /** Replaces the deployment with the same id. */
  async replace(deployment: TvcDeployment): Promise<void> {
    await replace.run(conn, deployment);
  },
  /** Marks all deployments of an app as deleted. Their rows stay. */
  async deleteOfApp(org: string, appId: string, now: number): Promise<void> {
    await deleteOfApp.run(conn, { org, appId, now });
  },
});
