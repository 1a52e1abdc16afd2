import type { StreamEvent, StreamInterest } from '../../../model/stream.ts';
import { arrays } from '../../arrays.ts';
import { type Column, type EngineName, list } from '../../columns.ts';
import { inLists } from '../../lists.ts';
import { inRange } from '../../ranges.ts';
import { type Conn, dynamic, statement, written } from '../../statement.ts';
import { values } from '../../table.ts';
import { streamEvents, streamInterests } from '../../tables/streams.ts';
import { noteListeners } from './listeners.ts';
import { removeEvents } from './webhook-events.ts';

const { organizationId, until } = streamInterests.model;

const get = statement((db, p: { org: string }) =>
  db.selectFrom('stream_interests').select(streamInterests.all).where('organization_id', '=', p.org),
);
const interests = dynamic({}, (db, p: { orgs: readonly string[] }) =>
  db.selectFrom('stream_interests').select(streamInterests.all).where('organization_id', 'in', p.orgs).where('until', '>', 0),
);
const states = dynamic({}, (db, p: { orgs: readonly string[] }) =>
  db
    .selectFrom('organizations as o')
    .leftJoin('stream_interests as i', 'i.organization_id', 'o.id')
    .select(['o.id', 'o.version', 'i.sequence'])
    .where('o.id', 'in', p.orgs),
);
const after = dynamic({}, (db, p: { org: string; sequence: number; limit: number }) =>
  inRange(db.selectFrom('stream_events').select(streamEvents.all).where('organization_id', '=', p.org), {
    fixed: [],
    key: 'sequence',
    above: p.sequence,
    below: undefined,
    descending: false,
    limit: p.limit,
  }),
);
const old = statement((db, p: { before: number; limit: number }) =>
  db.selectFrom('stream_events').select(streamEvents.all).where('created_at', '<', p.before).orderBy('created_at').limit(p.limit),
);
const lapsed = statement((db, p: { now: number; limit: number }) =>
  db
    .selectFrom('stream_interests')
    .select('organization_id as organizationId')
    .where('until', '>', 0)
    .where('until', '<=', p.now)
    .orderBy('until')
    .limit(p.limit),
);

/** After a lapse, the sequence skips a number: a stream that ended before it cannot be resumed. */
const OPEN = `INSERT INTO stream_interests (organization_id, sequence, since, until) VALUES`;
const AGAIN = `ON CONFLICT (organization_id) DO UPDATE SET until = excluded.until,
  sequence = CASE WHEN stream_interests.until = 0 THEN stream_interests.sequence + 1 ELSE stream_interests.sequence END,
  since = CASE WHEN stream_interests.until = 0 THEN stream_interests.sequence + 1 ELSE stream_interests.since END`;
const open = {
  sqlite: written('sqlite')(`${OPEN} (?, 0, 0, ?) ${AGAIN}`, organizationId, until),
  postgres: written('postgres')(`${OPEN} ($1, 0, 0, $2) ${AGAIN}`, organizationId, until),
} satisfies Record<EngineName, unknown>;
const setSequence = statement((db, p: { org: string; sequence: number }) =>
  db.updateTable('stream_interests').set({ sequence: p.sequence }).where('organization_id', '=', p.org),
);
const lapse = statement((db, p: { org: string; now: number }) =>
  db.updateTable('stream_interests').set({ until: 0 }).where('organization_id', '=', p.org).where('until', '<=', p.now),
);
const insert = statement((db, p: StreamEvent) => db.insertInto('stream_events').values(values(streamEvents, p)), 'sqlite');
const GIVEN = arrays(streamEvents, []);
const insertAll = written('postgres')(
  `INSERT INTO stream_events (${GIVEN.names.join(', ')})
  SELECT * FROM unnest(${GIVEN.columns.map(({ postgres: { type } }, i) => `$${i + 1}::${type}`).join(', ')})`,
  ...(GIVEN.columns as Column<unknown>[]),
);
const { organizationId: ofEvent, sequence } = streamEvents.model;
const removal = {
  sqlite: written('sqlite')('DELETE FROM stream_events WHERE organization_id = ? AND sequence = ?', ofEvent, sequence),
  postgres: written('postgres')(
    `DELETE FROM stream_events s USING unnest($1::uuid[], $2::bigint[]) AS g(organization_id, sequence)
    WHERE s.organization_id = g.organization_id AND s.sequence = g.sequence`,
    list(ofEvent),
    list(sequence),
  ),
};

/** `sequence`: of its latest event. Null: it never had a stream. */
export type StreamState = { id: string; version: number; sequence: number | null };

export const streamReads = (conn: Conn) => ({
  /** Those of the organizations whose activities a stream may want. */
  async interests(orgs: readonly string[]): Promise<StreamInterest[]> {
    return inLists(orgs, (some) => interests.all(conn, { orgs: some }));
  },
  /** Those of the organizations that exist, with the version of their facts. */
  async states(orgs: readonly string[]): Promise<StreamState[]> {
    return inLists(orgs, (some) => states.all(conn, { orgs: some }));
  },
  /** An organization's events above a sequence, in order. */
  async after(org: string, sequence: number, limit: number): Promise<StreamEvent[]> {
    return after.all(conn, { org, sequence, limit });
  },
  /** Organizations whose interest has ended. */
  async lapsed(now: number, limit: number): Promise<string[]> {
    return (await lapsed.all(conn, { now, limit })).map(({ organizationId }) => organizationId);
  },
});

export const streamWrites = (conn: Conn) => ({
  /** Has events recorded until a time. The organization's row must be held. */
  async open(org: string, until: number): Promise<StreamInterest> {
    await open[conn.engine].run(conn, [org, until]);
    await noteListeners(conn, org);
    return (await get.first(conn, { org }))!;
  },
  /** Adds events with their sequences, in order. Only the process that has the lease of the fan-out calls it. */
  async append(events: readonly StreamEvent[]): Promise<void> {
    if (conn.engine === 'postgres') await insertAll.run(conn, GIVEN.of(events) as never);
    else for (const event of events) await insert.run(conn, event);
    const latest = new Map(events.map(({ organizationId, sequence }) => [organizationId, sequence]));
    for (const [org, sequence] of [...latest].sort(([a], [b]) => (a < b ? -1 : 1)))
      await setSequence.run(conn, { org, sequence });
  },
  /** Ends the interest of an organization, unless a stream was opened meanwhile. The organization's row must be held. */
  async lapse(org: string, now: number): Promise<void> {
    if ((await lapse.run(conn, { org, now })) === 1) await noteListeners(conn, org);
  },
  /** Removes events that are older than a time, with the bodies that no delivery uses. True if there may be more. */
  async sweep(before: number, limit: number): Promise<boolean> {
    const found = await old.all(conn, { before, limit });
    if (conn.engine === 'postgres')
      await removal.postgres.run(conn, [
        found.map(({ organizationId }) => organizationId),
        found.map(({ sequence }) => sequence),
      ]);
    else for (const { organizationId, sequence } of found) await removal.sqlite.run(conn, [organizationId, sequence]);
    const unused = found.filter(({ isDelivered }) => !isDelivered);
    await removeEvents(conn, [...new Set(unused.map(({ position }) => position))]);
    return found.length === limit;
  },
});
