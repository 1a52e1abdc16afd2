import { int } from '../../columns.ts';
import { POSITION_BASE } from '../../position-base.ts';
import { type Conn, statement, written } from '../../statement.ts';
import { instanceReads } from '../service/instance.ts';

/** Up to where a worker has read, as positions of activities and of audit rows. */
export type Place = { activities: number; audit: number };

type Table = 'activities' | 'audit';
type End = { end: number | null };

/** On SQLite, rows become visible in the order of their positions. */
const endOnSqlite = (table: Table) =>
  written<End>('sqlite')(
    `SELECT max(position) AS "end" FROM (SELECT position FROM ${table} WHERE position > ? ORDER BY position LIMIT ?)`,
    int(),
    int(),
  );
/** On PostgreSQL, all rows below the oldest running transaction are visible. Rows of one transaction share their position. */
const endOnPostgres = (table: Table) =>
  written<End>('postgres')(
    `SELECT max(position) AS "end" FROM (SELECT position FROM ${table}
      WHERE position > $1 AND position < $2 + pg_snapshot_xmin(pg_current_snapshot())::text::bigint ORDER BY position LIMIT $3) AS next`,
    int(),
    int(),
    int(),
  );
const ends = {
  activities: { sqlite: endOnSqlite('activities'), postgres: endOnPostgres('activities') },
  audit: { sqlite: endOnSqlite('audit'), postgres: endOnPostgres('audit') },
};

export async function endOfNext(conn: Conn, place: Place, most: number): Promise<Place | undefined> {
  const base = Number((await instanceReads(conn).get(POSITION_BASE)) ?? 0);
  const endOf = async (table: Table): Promise<number> => {
    const from = place[table];
    const rows =
      conn.engine === 'sqlite'
        ? await ends[table].sqlite.all(conn, [from, most])
        : await ends[table].postgres.all(conn, [from, base, most]);
    return rows[0]?.end ?? from;
  };
  const to = { activities: await endOf('activities'), audit: await endOf('audit') };
  return to.activities === place.activities && to.audit === place.audit ? undefined : to;
}

const firstOf = (table: Table) =>
  statement((db, p: { after: number }) =>
    db
      .selectFrom(table as 'activities')
      .select('created_at as createdAt')
      .where('position', '>', p.after)
      .orderBy('position')
      .limit(1),
  );
const first = { activities: firstOf('activities'), audit: firstOf('audit') };

/** When the first activity or audit row behind a place was written. */
export async function firstAfter(conn: Conn, place: Place): Promise<number | undefined> {
  const activity = await first.activities.first(conn, { after: place.activities });
  const entry = await first.audit.first(conn, { after: place.audit });
  return activity && entry ? Math.min(activity.createdAt, entry.createdAt) : (activity ?? entry)?.createdAt;
}
