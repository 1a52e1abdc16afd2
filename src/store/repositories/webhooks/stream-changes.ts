import { sql } from 'kysely';
import { type ActivityStatus, isTerminal, STATUSES } from '../../../model/activity.ts';
import { POSITION_BASE } from '../../position-base.ts';
import type { Builder } from '../../schema.ts';
import { type Conn, statement, written } from '../../statement.ts';
import { instanceReads } from '../service/instance.ts';

/** The present status of an activity that waits, was voted on or has ended after it had waited. */
export type StreamChange = { organizationId: string; id: string; status: ActivityStatus; updatedAt: number };

const greatest = (ends: readonly End[]): number => Math.max(...ends.map(({ end }) => end ?? 0));

type Range = { from: number; to: number };
type End = { end: number | null };

const LATEST = 'SELECT max(position) AS "end" FROM activities UNION ALL SELECT max(position) FROM audit';
/** SQLite: rows become visible in the order of their positions. */
const latestOnSqlite = written<End>('sqlite')(LATEST);
const latestOnPostgres = written<End>('postgres')(LATEST);
/** PostgreSQL: all rows below the oldest running transaction are visible. */
const endOnPostgres = written<End>('postgres')(`SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint - 1 AS "end"`);

const writtenIn = statement((db, p: Range) =>
  db
    .selectFrom('activities')
    .select('organization_id as organizationId')
    .distinct()
    .where('position', '>', p.from)
    .where('position', '<=', p.to),
);

const changeOf = (db: Builder) =>
  db
    .selectFrom('activities')
    .select(['activities.organization_id as organizationId', 'activities.id', 'status', 'updated_at as updatedAt']);
const ENDED = sql.raw(
  STATUSES.filter(isTerminal)
    .map((status) => `'${status}'`)
    .join(', '),
);
/** A row with version 1 that has ended never waited, and never changes. */
const waits = statement((db, p: Range) =>
  changeOf(db)
    .where('activities.position', '>', p.from)
    .where('activities.position', '<=', p.to)
    .where(sql<boolean>`(version > 1 OR status NOT IN (${ENDED}))`),
);
const changed = statement((db, p: Range) =>
  changeOf(db)
    .innerJoin('audit', (join) =>
      join.onRef('audit.organization_id', '=', 'activities.organization_id').onRef('audit.activity_id', '=', 'activities.id'),
    )
    .where('audit.position', '>', p.from)
    .where('audit.position', '<=', p.to),
);

/** Changes of activities of all organizations, in the order of positions. */
export const streamChangeReads = (conn: Conn) => ({
  /** The position up to which all rows are visible. */
  async end(): Promise<number> {
    if (conn.engine === 'sqlite') return greatest(await latestOnSqlite.all(conn, []));
    const base = Number((await instanceReads(conn).get(POSITION_BASE)) ?? 0);
    return base + greatest(await endOnPostgres.all(conn, []));
  },
  /** The greatest position that is visible. On PostgreSQL it may be beyond the end, while an older transaction is open. */
  async latest(): Promise<number> {
    return greatest(await (conn.engine === 'sqlite' ? latestOnSqlite : latestOnPostgres).all(conn, []));
  },
  /** The organizations with new activities between two positions, and the changes. An activity that ended at once is no change. */
  async between(from: number, to: number): Promise<{ organizationIds: string[]; changes: StreamChange[] }> {
    const range = { from, to };
    const organizationIds = (await writtenIn.all(conn, range)).map(({ organizationId }) => organizationId);
    return { organizationIds, changes: [...(await waits.all(conn, range)), ...(await changed.all(conn, range))] };
  },
});
