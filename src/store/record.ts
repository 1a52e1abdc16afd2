import { arrays } from './arrays.ts';
import { type AnyColumn, type Column, int, list, sought } from './columns.ts';
import { placed } from './position.ts';
import { insertActivity } from './repositories/activities/activities.ts';
import { insertMessage } from './repositories/messages/outbox.ts';
import { versionNow } from './repositories/people/organizations.ts';
import { type Conn, written } from './statement.ts';
import { activities } from './tables/activities.ts';
import { organizations } from './tables/organizations.ts';
import { type OutboxMessage, outbox } from './tables/outbox.ts';
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

const rowOf = ({ activity, evaluations }: FinishedRecord) => (evaluations ? { ...activity, evaluations } : activity);

/** SQLite: inserts one row and the message, if there is one, inside the group's transaction. Everything is synchronous. */
export function recordOnSqlite(conn: Conn, record: FinishedRecord): RecordResult {
  for (const fact of record.facts)
    if (versionNow.firstNow(conn, { id: fact.organizationId })?.version !== fact.version) return 'stale';
  if (insertActivity.sqlite.runNow(conn, placed(conn, rowOf(record))) === 0) return 'exists';
  const message = messageOf(record);
  if (message) insertMessage.runNow(conn, message);
  return 'written';
}

const ROWS = arrays(activities, ['updated_at', 'facts_after', 'position']);
const MESSAGES = arrays(outbox, ['expires_at']);
const FACTS = [list(int()), list(sought(organizations.model.id)), list(organizations.model.version)] as const;
const COLUMNS: readonly AnyColumn[] = [...ROWS.columns, ...FACTS, ...MESSAGES.columns];

const parameters = COLUMNS.map(({ postgres: { type } }, i) => `$${i + 1}::${type}`);
const taken = (count: number): string => parameters.splice(0, count).join(', ');

/** Inserts in the order of fingerprints, so that two batches cannot deadlock. */
const POSTGRES_RECORD = `
WITH given AS MATERIALIZED (
  SELECT * FROM unnest(${taken(ROWS.columns.length)}) WITH ORDINALITY AS g(${ROWS.names.join(', ')}, n)
), stale AS MATERIALIZED (
  SELECT DISTINCT f.n FROM unnest(${taken(FACTS.length)}) AS f(n, id, version)
  LEFT JOIN organizations o ON o.id = f.id WHERE o.version IS DISTINCT FROM f.version
), written AS (
  INSERT INTO activities (${ROWS.names.join(', ')}, updated_at)
  SELECT ${ROWS.names.join(', ')}, created_at FROM given WHERE n NOT IN (SELECT n FROM stale) ORDER BY organization_id, fingerprint
  ON CONFLICT (organization_id, fingerprint) DO NOTHING
  RETURNING organization_id, id
), sent AS (
  INSERT INTO outbox (${MESSAGES.names.join(', ')})
  SELECT ${MESSAGES.names.map((name) => `m.${name}`).join(', ')}
  FROM unnest(${taken(MESSAGES.columns.length)}) AS m(${MESSAGES.names.join(', ')})
  JOIN written w ON w.organization_id = m.organization_id AND w.id = m.activity_id
)
SELECT n, 'stale' AS outcome FROM stale
UNION ALL SELECT g.n, 'written' FROM given g JOIN written w ON w.organization_id = g.organization_id AND w.id = g.id`;

const record = written<{ n: number; outcome: RecordResult }>('postgres')(POSTGRES_RECORD, ...(COLUMNS as Column<unknown>[]));

/** PostgreSQL: one statement for several records, including the version checks. It needs one round trip and one commit. */
export async function recordOnPostgres(conn: Conn, finished: readonly FinishedRecord[]): Promise<RecordResult[]> {
  const facts = finished.flatMap(({ facts }, i) => facts.map((fact) => ({ ...fact, n: i + 1 })));
  const messages = finished.flatMap((one) => messageOf(one) ?? []);
  const rows = await record.all(conn, [
    ...ROWS.of(finished.map(rowOf)),
    facts.map(({ n }) => n),
    facts.map(({ organizationId }) => organizationId),
    facts.map(({ version }) => version),
    ...MESSAGES.of(messages),
  ]);
  const outcomes = new Array<RecordResult>(finished.length).fill('exists');
  for (const { n, outcome } of rows) outcomes[n - 1] = outcome;
  return outcomes;
}
