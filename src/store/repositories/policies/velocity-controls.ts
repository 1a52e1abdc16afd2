import type { VelocityControl } from '../../../model/velocity-control.ts';
import type { Page } from '../../page.ts';
import { pagesOf } from '../../pages.ts';
import { inRange } from '../../ranges.ts';
import { type Conn, dynamic, statement } from '../../statement.ts';
import { values } from '../../table.ts';
import { velocityControls } from '../../tables/velocity-controls.ts';
import type { Upkeep } from '../upkeep.ts';

type Key = { org: string; id: string };

const get = statement((db, p: Key) =>
  db.selectFrom('velocity_controls').select(velocityControls.all).where('organization_id', '=', p.org).where('id', '=', p.id),
);
const named = statement((db, p: { org: string; identifier: string }) =>
  db.selectFrom('velocity_controls').select('id').where('organization_id', '=', p.org).where('identifier', '=', p.identifier),
);
const pages = pagesOf(velocityControls);
const insert = statement((db, p: VelocityControl) =>
  db
    .insertInto('velocity_controls')
    .values(values(velocityControls, p))
    .onConflict((c) => c.columns(['organization_id', 'identifier']).doNothing()),
);
const remove = statement((db, p: Key) =>
  db.deleteFrom('velocity_controls').where('organization_id', '=', p.org).where('id', '=', p.id),
);
const setRemoval = statement((db, p: Key & { removesAt: number | null }) =>
  db
    .updateTable('velocity_controls')
    .set({ removes_at: p.removesAt })
    .where('organization_id', '=', p.org)
    .where('id', '=', p.id),
);
const setFull = statement((db, p: Key & { since: number }) =>
  db.updateTable('velocity_controls').set({ full_since: p.since }).where('organization_id', '=', p.org).where('id', '=', p.id),
);
const every = dynamic({}, (db, p: { limit: number; after: string[] }) =>
  inRange(db.selectFrom('velocity_controls').select(velocityControls.all), {
    fixed: [],
    key: ['organization_id', 'id'],
    above: p.after,
    below: undefined,
    descending: false,
    limit: p.limit,
  }),
);
const raise = statement((db, p: { org: string }) =>
  db
    .updateTable('organizations')
    .set((e) => ({ velocity_version: e('velocity_version', '+', 1) }))
    .where('id', '=', p.org),
);

const NIL = '00000000-0000-0000-0000-000000000000';

export const allVelocityControlReads = (conn: Conn) => ({
  /** Controls of all organizations, for a command of the operator. */
  page: (limit: number, last?: VelocityControl): Promise<VelocityControl[]> =>
    every.all(conn, { limit, after: last === undefined ? [NIL, NIL] : [last.organizationId, last.id] }),
});

export const velocityControlReads = (conn: Conn) => ({
  get: (org: string, id: string): Promise<VelocityControl | undefined> => get.first(conn, { org, id }),
  /** Whether a policy may name it. */
  async exists(org: string, identifier: string): Promise<boolean> {
    return (await named.first(conn, { org, identifier })) !== undefined;
  },
  /** In the order of creation. */
  page: (org: string, page: Page): Promise<VelocityControl[]> => pages(conn, org, page),
});

export const velocityControlWrites = (conn: Conn, { counts }: Upkeep) => ({
  /** False if another control of the organization has the identifier. */
  async insert(control: VelocityControl): Promise<boolean> {
    if ((await insert.run(conn, control)) === 0) return false;
    counts.add(control.organizationId, 'velocityControlCount', 1);
    await raise.run(conn, { org: control.organizationId });
    return true;
  },
  /** When it is removed. Null: it stays. */
  async setRemoval(org: string, id: string, removesAt: number | null): Promise<void> {
    await setRemoval.run(conn, { org, id, removesAt });
  },
  /** Its windows count as full from this time on. */
  async setFull(org: string, id: string, since: number): Promise<void> {
    await setFull.run(conn, { org, id, since });
    await raise.run(conn, { org });
  },
  /** False if it does not exist. Its counters stay, and no other control ever has its id. */
  async remove(org: string, id: string): Promise<boolean> {
    if ((await remove.run(conn, { org, id })) === 0) return false;
    counts.add(org, 'velocityControlCount', -1);
    await raise.run(conn, { org });
    return true;
  },
});
