import type { ActivityStatus } from '../../../model/activity.ts';
import { DAY_MS, type UsagePlace } from '../../../model/usage.ts';
import { int, json, list, text } from '../../columns.ts';
import { idText } from '../../compact.ts';
import { type Conn, written } from '../../statement.ts';

/** Activities of one organization and type that ended on one day in the same way. */
export type Ended = {
  organizationId: string;
  /** Null: the organization is a top-level one. Also known of a deleted organization. */
  parentId: string | null;
  type: string;
  status: ActivityStatus;
  /** The start of the day in UTC. */
  day: number;
  count: number;
  /** Only of a type that is counted one by one. */
  activityId: string | null;
};

const STATUS_OF = {
  'activity.completed': 'ACTIVITY_STATUS_COMPLETED',
  'activity.failed': 'ACTIVITY_STATUS_FAILED',
  'activity.rejected': 'ACTIVITY_STATUS_REJECTED',
} as const satisfies Record<string, ActivityStatus>;

const quoted = (texts: readonly string[]): string => texts.map((text) => `'${text}'`).join(', ');
const EVENTS = quoted(Object.keys(STATUS_OF));
const STATUSES = quoted(Object.values(STATUS_OF));
const STATUS = Object.entries(STATUS_OF).map(([event, status]) => `WHEN '${event}' THEN '${status}'`);

type Sql = (countedAlone: string, from: string, to: string) => string;

/** `of`: the alias of the table whose rows are walked. `countedAlone`: the SQL of the types that are counted one by one. */
const grouped =
  ({ of, from: tables, status, where }: { of: string; from: string; status: string; where: string }): Sql =>
  (countedAlone, from, to) =>
    `
WITH found AS (
  SELECT a.organization_id, a.type, ${status} AS status, ${of}.created_at / ${DAY_MS} AS day,
    CASE WHEN a.type IN (${countedAlone}) THEN a.id END AS id, CAST(count(*) AS bigint) AS count
  FROM ${tables} WHERE ${of}.position > ${from} AND ${of}.position <= ${to} AND ${where}
  GROUP BY 1, 2, 3, 4, 5
)
SELECT found.organization_id, coalesce(o.parent_id, d.parent_id) AS parent_id, found.type, found.status,
  found.day * ${DAY_MS} AS day, found.count, found.id
FROM found LEFT JOIN organizations o ON o.id = found.organization_id
  LEFT JOIN deleted_organizations d ON d.organization_id = found.organization_id`;

const HAS_WAITED = `EXISTS (SELECT 1 FROM audit e
    WHERE e.organization_id = a.organization_id AND e.activity_id = a.id AND e.event IN (${EVENTS}))`;

/** An own activity of a vote that was refused, and then completed by another user's stamp. It has never waited. */
const COMPLETED_AGAIN = "(a.status = 'ACTIVITY_STATUS_COMPLETED' AND a.failure <> '')";

/**
 * Activities that ended at once. One that waited has an audit row of its end, which was written in the same transaction. A row with
 * version 1 never waited.
 */
const AT_ONCE = grouped({
  of: 'a',
  from: 'activities a',
  status: 'a.status',
  where: `a.status IN (${STATUSES}) AND (a.version = 1 OR ${COMPLETED_AGAIN} OR NOT ${HAS_WAITED})`,
});
/** Activities that ended after they had waited. */
const LATER = grouped({
  of: 'e',
  from: 'audit e JOIN activities a ON a.organization_id = e.organization_id AND a.id = e.activity_id',
  status: `CASE e.event ${STATUS.join(' ')} END`,
  where: `e.event IN (${EVENTS}) AND NOT ${COMPLETED_AGAIN}`,
});

type Row<Id> = {
  organization_id: Id;
  parent_id: Id | null;
  type: string;
  status: ActivityStatus;
  day: number;
  count: number;
  id: Id | null;
};

const onSqlite = (sql: Sql) =>
  written<Row<Buffer>>('sqlite')(sql('SELECT value FROM json_each(?)', '?', '?'), json<readonly string[]>(), int(), int());
const onPostgres = (sql: Sql) =>
  written<Row<string>>('postgres')(sql('SELECT unnest($1::text[])', '$2', '$3'), list(text()), int(), int());
const statements = {
  activities: { sqlite: onSqlite(AT_ONCE), postgres: onPostgres(AT_ONCE) },
  audit: { sqlite: onSqlite(LATER), postgres: onPostgres(LATER) },
};

const rowOf = <Id>({ organization_id, parent_id, id, ...rest }: Row<Id>, textOf: (id: Id) => string): Ended => ({
  organizationId: textOf(organization_id),
  parentId: parent_id === null ? null : textOf(parent_id),
  activityId: id === null ? null : textOf(id),
  ...rest,
});

type Table = 'activities' | 'audit';

export async function endedBetween(
  conn: Conn,
  from: UsagePlace,
  to: UsagePlace,
  countedAlone: readonly string[],
): Promise<Ended[]> {
  const endedIn = async (table: Table): Promise<Ended[]> => {
    const args = [countedAlone, from[table], to[table]] as const;
    const { sqlite, postgres } = statements[table];
    if (conn.engine === 'sqlite') return (await sqlite.all(conn, args)).map((row) => rowOf(row, idText));
    return (await postgres.all(conn, args)).map((row) => rowOf(row, (id) => id));
  };
  return [...(await endedIn('activities')), ...(await endedIn('audit'))];
}
