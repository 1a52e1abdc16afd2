import type { VelocityCounter, VelocityEntry } from '../../../model/velocity-control.ts';
import { type Conn, statement } from '../../statement.ts';

type Bucket = { org: string; control: string; bucket: string };

const removeEntry = statement((db, p: Bucket & { activity: string }) =>
  db
    .deleteFrom('velocity_entries')
    .where('organization_id', '=', p.org)
    .where('control_id', '=', p.control)
    .where('bucket', '=', p.bucket)
    .where('activity_id', '=', p.activity),
);
const removeCounter = statement((db, p: Bucket & { steps: VelocityCounter['steps'] }) =>
  db
    .deleteFrom('velocity_counters')
    .where('organization_id', '=', p.org)
    .where('control_id', '=', p.control)
    .where('bucket', '=', p.bucket)
    .where('steps', '=', p.steps),
);

export const velocityPruningWrites = (conn: Conn) => ({
  async removeEntry({ organizationId: org, controlId: control, bucket, activityId: activity }: VelocityEntry): Promise<void> {
    await removeEntry.run(conn, { org, control, bucket, activity });
  },
  /** Removes a counter, unless it has changed since it was read. */
  async removeCounter({ organizationId: org, controlId: control, bucket, steps }: VelocityCounter): Promise<void> {
    await removeCounter.run(conn, { org, control, bucket, steps });
  },
});
