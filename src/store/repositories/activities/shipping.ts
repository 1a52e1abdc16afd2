import { SHIP_PLACE } from '../../../model/shipping.ts';
import { type Conn, statement } from '../../statement.ts';
import { instanceReads, instanceWrites } from '../service/instance.ts';
import { endOfNext, firstAfter, type Place } from './next-positions.ts';

/** An activity that was written or changed. `after`: the place once it and all before it are shipped. */
export type ToShip = { organizationId: string; activityId: string; after: Place };

type Range = { from: number; to: number };
type Row = { organizationId: string; activityId: string; position: number };

const written = statement((db, p: Range) =>
  db
    .selectFrom('activities')
    .select(['organization_id as organizationId', 'id as activityId', 'position'])
    .where('position', '>', p.from)
    .where('position', '<=', p.to)
    .orderBy('position'),
);
const changed = statement((db, p: Range) =>
  db
    .selectFrom('audit')
    .select(['organization_id as organizationId', 'activity_id as activityId', 'position'])
    .where('position', '>', p.from)
    .where('position', '<=', p.to)
    .orderBy('position'),
);

/** On PostgreSQL, rows of one transaction share their position: the place moves behind the last of them. */
function placed(rows: readonly Row[], start: Place, at: (position: number) => Place): ToShip[] {
  let after = start;
  return rows.map(({ organizationId, activityId, position }, i) => {
    if (rows[i + 1]?.position !== position) after = at(position);
    return { organizationId, activityId, after };
  });
}

/** The activities between two places in their order, each once: those that were written, then those that changed. */
async function between(conn: Conn, from: Place, to: Place): Promise<ToShip[]> {
  const first = await written.all(conn, { from: from.activities, to: to.activities });
  const then = await changed.all(conn, { from: from.audit, to: to.audit });
  const all = [
    ...placed(first, from, (activities) => ({ activities, audit: from.audit })),
    ...placed(then, { activities: to.activities, audit: from.audit }, (audit) => ({ activities: to.activities, audit })),
  ];
  const each = [...Map.groupBy(all, ({ organizationId, activityId }) => `${organizationId} ${activityId}`).values()];
  return each.map(([one], i) => (i === each.length - 1 ? { ...one!, after: to } : one!));
}

/** Which activities are shipped next, of all organizations: for the worker and the operator. */
export const shippingReads = (conn: Conn) => {
  async function place(): Promise<Place> {
    const text = await instanceReads(conn).get(SHIP_PLACE);
    return text === undefined ? { activities: 0, audit: 0 } : JSON.parse(text);
  }
  return {
    place,
    /** The next activities behind a place, and where they end. Undefined if there are none, or others must commit first. */
    async next(from: Place, most: number): Promise<{ rows: ToShip[]; end: Place } | undefined> {
      const end = await endOfNext(conn, from, most);
      return end && { rows: await between(conn, from, end), end };
    },
    /** When the first row behind the place was written. */
    async notShippedSince(): Promise<number | undefined> {
      return firstAfter(conn, await place());
    },
  };
};

/** Only the worker writes, in transactions that begin with its lease. */
export const shippingWrites = (conn: Conn) => ({
  async moveTo(place: Place): Promise<void> {
    await instanceWrites(conn).put(SHIP_PLACE, JSON.stringify(place));
  },
});
