import { bitOf, listens } from '../model/webhook.ts';
import { arrays } from './arrays.ts';
import { type AnyColumn, type Column, flag, int, list, nullable, sought } from './columns.ts';
import { placed } from './position.ts';
import { insertActivity } from './repositories/activities/activities.ts';
import { insertMessage } from './repositories/messages/outbox.ts';
import { LISTENERS, nowOnSqlite } from './repositories/people/organizations.ts';
import { insertEvent } from './repositories/webhooks/webhook-events.ts';
import { type Conn, written } from './statement.ts';
import { activities } from './tables/activities.ts';
import { organizations } from './tables/organizations.ts';
import { type OutboxMessage, outbox } from './tables/outbox.ts';
import { webhookEvents } from './tables/webhook-events.ts';
import type { FinishedRecord, RecordResult } from './types.ts';

const messageOf = ({ activity, message }: FinishedRecord): OutboxMessage | undefined =>
  message && {
    ...message,
    organizationId: activity.organizationId,
    activityId: activity.id,
    payerId: activity.organizationId,
    attempts: 0,
    createdAt: activity.createdAt,
    expiresAt: null,
  };

/** Whether the record has no event for those who listen to its organization. */
const isSilent = ({ activity, event }: FinishedRecord, organizationId: string): boolean =>
  event === undefined && activity.organizationId === organizationId;

const rowOf = ({ activity, evaluations }: FinishedRecord) => (evaluations ? { ...activity, evaluations } : activity);

/** SQLite: inserts one row and the message, if there is one, inside the group's transaction. Everything is synchronous. */
export function recordOnSqlite(conn: Conn, record: FinishedRecord): RecordResult {
  for (const { organizationId, version } of record.facts) {
    const now = nowOnSqlite(conn, { id: organizationId });
    if (now?.version !== version) return 'stale';
    if (record.signs && now.overQuotaUntil > record.activity.createdAt) return 'over quota';
    if (isSilent(record, organizationId) && listens(now.listeners, 'ACTIVITY_UPDATES')) return 'unheard';
  }
  if (insertActivity.sqlite.runNow(conn, placed(conn, rowOf(record))) === 0) return 'exists';
  const message = messageOf(record);
  if (message) insertMessage.runNow(conn, message);
  if (record.event) insertEvent.runNow(conn, record.event);
  return 'written';
}

const ROWS = arrays(activities, ['updated_at', 'facts_after', 'position']);
const MESSAGES = arrays(outbox, ['expires_at']);
const EVENTS = arrays(webhookEvents, ['position', 'fanned_out_at']);
const FACTS = [
  list(int()),
  list(sought(organizations.model.id)),
  list(organizations.model.version),
  list(flag()),
  list(nullable(int())),
] as const;

/** `signed_at` is null where the record makes no signature. */
const IS_OVER = 'greatest(o.over_quota_until, p.over_quota_until) > f.signed_at';

/** What a statement that writes all of its records, or none, does beside. `fits`: a condition. `held`, `after`: its parts. */
export type Together = {
  columns: readonly AnyColumn[];
  sql(types: readonly string[]): { held: string; fits: string; after: string };
};

/** In an all-or-none statement: true if it writes. */
export const ALL_FIT = '(SELECT all_fit FROM fitting)';

/**
 * Inserts in the order of fingerprints, so that two batches cannot deadlock. `withEvents`: some of the records have one. `together`: all or
 * none is written, and a body that is recorded already fails the statement.
 */
function recordStatement(withEvents: boolean, together?: Together) {
  const own: readonly AnyColumn[] = [...ROWS.columns, ...FACTS, ...MESSAGES.columns, ...(withEvents ? EVENTS.columns : [])];
  const columns = [...own, ...(together?.columns ?? [])];
  const parameters = columns.map(({ postgres: { type } }, i) => `$${i + 1}::${type}`);
  const more = together?.sql(parameters.splice(own.length));
  const taken = (count: number): string => parameters.splice(0, count).join(', ');
  const fitting =
    more &&
    `, ${more.held}, fitting AS MATERIALIZED (
  SELECT ${more.fits} AND NOT EXISTS (SELECT FROM unfit) AS all_fit
)`;
  const sql = `
WITH given AS MATERIALIZED (
  SELECT * FROM unnest(${taken(ROWS.columns.length)}) WITH ORDINALITY AS g(${ROWS.names.join(', ')}, n)
), unfit AS MATERIALIZED (
  SELECT f.n, bool_or(o.version IS DISTINCT FROM f.version) AS is_stale, coalesce(bool_or(${IS_OVER}), false) AS is_over
  FROM unnest(${taken(FACTS.length)}) AS f(n, id, version, silent, signed_at)
    LEFT JOIN organizations o ON o.id = f.id LEFT JOIN organizations p ON p.id = o.parent_id
  WHERE o.version IS DISTINCT FROM f.version OR (f.silent = 1 AND (${LISTENERS}) & ${bitOf('ACTIVITY_UPDATES')} <> 0) OR ${IS_OVER}
  GROUP BY f.n
)${fitting ?? ''}, written AS (
  INSERT INTO activities (${ROWS.names.join(', ')}, updated_at)
  SELECT ${ROWS.names.join(', ')}, created_at FROM given
  WHERE ${more ? ALL_FIT : 'n NOT IN (SELECT n FROM unfit)'} ORDER BY organization_id, fingerprint
  ${more ? '' : 'ON CONFLICT (organization_id, fingerprint) DO NOTHING'}
  RETURNING organization_id, id
), sent AS (
  INSERT INTO outbox (${MESSAGES.names.join(', ')})
  SELECT ${MESSAGES.names.map((name) => `m.${name}`).join(', ')}
  FROM unnest(${taken(MESSAGES.columns.length)}) AS m(${MESSAGES.names.join(', ')})
  JOIN written w ON w.organization_id = m.organization_id AND w.id = m.activity_id
)${withEvents ? eventsOfWritten(taken(EVENTS.columns.length)) : ''}${more?.after ?? ''}
SELECT n, CASE WHEN is_stale THEN 'stale' WHEN is_over THEN 'over quota' ELSE 'unheard' END AS outcome FROM unfit
UNION ALL SELECT g.n, 'written' FROM given g JOIN written w ON w.organization_id = g.organization_id AND w.id = g.id`;
  return written<{ n: number; outcome: RecordResult }>('postgres')(sql, ...(columns as Column<unknown>[]));
}

const eventsOfWritten = (given: string): string => `, told AS (
  INSERT INTO webhook_events (${EVENTS.names.join(', ')})
  SELECT ${EVENTS.names.map((name) => `e.${name}`).join(', ')} FROM unnest(${given}) AS e(${EVENTS.names.join(', ')})
  JOIN written w ON w.organization_id = e.organization_id AND w.id::text = e.subject
)`;

const statementsOf = (together?: Together) => ({
  plainly: recordStatement(false, together),
  telling: recordStatement(true, together),
});

const eachAlone = statementsOf();

/** One statement for several records, including the version checks. It needs one round trip and one commit. */
async function outcomesOf(
  { plainly, telling }: ReturnType<typeof statementsOf>,
  conn: Conn,
  finished: readonly FinishedRecord[],
  more: readonly unknown[] = [],
): Promise<RecordResult[]> {
  const facts = finished.flatMap((one, i) =>
    one.facts.map((fact) => ({
      ...fact,
      n: i + 1,
      silent: isSilent(one, fact.organizationId),
      signedAt: one.signs ? one.activity.createdAt : null,
    })),
  );
  const messages = finished.flatMap((one) => messageOf(one) ?? []);
  const events = finished.flatMap(({ event }) => event ?? []);
  const rows = await (events.length === 0 ? plainly : telling).all(conn, [
    ...ROWS.of(finished.map(rowOf)),
    facts.map(({ n }) => n),
    facts.map(({ organizationId }) => organizationId),
    facts.map(({ version }) => version),
    facts.map(({ silent }) => silent),
    facts.map(({ signedAt }) => signedAt),
    ...MESSAGES.of(messages),
    ...(events.length === 0 ? [] : EVENTS.of(events)),
    ...more,
  ]);
  const outcomes = new Array<RecordResult>(finished.length).fill('exists');
  for (const { n, outcome } of rows) outcomes[n - 1] = outcome;
  return outcomes;
}

/** PostgreSQL: each record that fits is written. */
export const recordOnPostgres = (conn: Conn, finished: readonly FinishedRecord[]): Promise<RecordResult[]> =>
  outcomesOf(eachAlone, conn, finished);

/** PostgreSQL: writes all records and the rows beside them, or nothing. True if it wrote. */
export function recordTogether(together: Together) {
  const all = statementsOf(together);
  return async (conn: Conn, finished: readonly FinishedRecord[], more: readonly unknown[]): Promise<boolean> =>
    (await outcomesOf(all, conn, finished, more)).every((outcome) => outcome === 'written');
}
