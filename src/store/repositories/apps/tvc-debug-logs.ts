import type { TvcDebugLog } from '../../../model/tvc/provisioning.ts';
import { type Conn, statement } from '../../statement.ts';
import { values } from '../../table.ts';
import { tvcDebugLogs } from '../../tables/tvc-quorum-keys.ts';

type Key = { org: string; deploymentId: string };

const since = statement((db, p: Key & { after: number }) =>
  db
    .selectFrom('tvc_debug_logs')
    .select(tvcDebugLogs.all)
    .where('organization_id', '=', p.org)
    .where('deployment_id', '=', p.deploymentId)
    .where('created_at', '>', p.after)
    .orderBy('id'),
);
const sizes = statement((db, p: Key) =>
  db
    .selectFrom('tvc_debug_logs')
    .select(['id', 'size'])
    .where('organization_id', '=', p.org)
    .where('deployment_id', '=', p.deploymentId)
    .orderBy('id'),
);
const insert = statement((db, p: TvcDebugLog) => db.insertInto('tvc_debug_logs').values(values(tvcDebugLogs, p)));
const removeOne = statement((db, p: Key & { id: string }) =>
  db
    .deleteFrom('tvc_debug_logs')
    .where('organization_id', '=', p.org)
    .where('deployment_id', '=', p.deploymentId)
    .where('id', '=', p.id),
);
const remove = statement((db, p: Key) =>
  db.deleteFrom('tvc_debug_logs').where('organization_id', '=', p.org).where('deployment_id', '=', p.deploymentId),
);
const old = statement((db, p: { until: number; most: number }) =>
  db
    .selectFrom('tvc_debug_logs')
    .select(['organization_id as org', 'deployment_id as deploymentId', 'id'])
    .where('created_at', '<=', p.until)
    .orderBy('created_at')
    .limit(p.most),
);

export const tvcDebugLogReads = (conn: Conn) => ({
  /** Those reported after a time, the oldest first. */
  since: (org: string, deploymentId: string, after: number): Promise<TvcDebugLog[]> =>
    since.all(conn, { org, deploymentId, after }),
});

export const tvcDebugLogWrites = (conn: Conn) => ({
  /** Adds to the logs of a deployment, and removes the oldest until all have at most `most` bytes. */
  async insert(log: TvcDebugLog, most: number): Promise<void> {
    const { organizationId: org, deploymentId } = log;
    await insert.run(conn, log);
    const rows = await sizes.all(conn, { org, deploymentId });
    let total = rows.reduce((sum, { size }) => sum + size, 0);
    for (const { id, size } of rows) {
      if (total <= most) return;
      await removeOne.run(conn, { org, deploymentId, id });
      total -= size;
    }
  },
  async remove(org: string, deploymentId: string): Promise<void> {
    await remove.run(conn, { org, deploymentId });
  },
  /** Deletes some logs from a time or before. */
  async sweep(until: number, most: number): Promise<void> {
    for (const key of await old.all(conn, { until, most })) await removeOne.run(conn, key);
  },
});
