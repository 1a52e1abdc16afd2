import { type AnyColumn, json } from './columns.ts';
import { insertActivity, insertVote } from './repositories/activities.ts';
import { insertAudit } from './repositories/audit.ts';
import { insertEvaluations } from './repositories/evaluations.ts';
import { versionNow } from './repositories/organizations.ts';
import { insertMessage } from './repositories/outbox.ts';
import { type Conn, written } from './statement.ts';
import { type AnyTable, stored } from './table.ts';
import { activities, votes } from './tables/activities.ts';
import { audit } from './tables/audit.ts';
import { evaluations } from './tables/evaluations.ts';
import { organizations } from './tables/organizations.ts';
import { type OutboxMessage, outbox } from './tables/outbox.ts';
import type { FinishedRecord, RecordResult } from './types.ts';

const evaluationsOf = ({ activity, vote, evaluations: of }: FinishedRecord) =>
  of && { ...of, organizationId: activity.organizationId, activityId: activity.id, voteId: vote.id, createdAt: vote.createdAt };

const messageOf = ({ activity, message }: FinishedRecord): OutboxMessage | undefined =>
  message && {
    ...message,
    organizationId: activity.organizationId,
    activityId: activity.id,
    attempts: 0,
    createdAt: activity.createdAt,
  };

/** SQLite: a few prepared statements inside the group's transaction, all synchronous. */
export function recordOnSqlite(conn: Conn, record: FinishedRecord): RecordResult {
  for (const fact of record.facts)
    if (versionNow.firstNow(conn, { id: fact.organizationId })?.version !== fact.version) return 'stale';
  if (insertActivity.runNow(conn, record.activity) === 0) return 'exists';
  insertVote.runNow(conn, record.vote);
  insertAudit.runNow(conn, record.audit);
  const came = evaluationsOf(record);
  if (came) insertEvaluations.runNow(conn, came);
  const message = messageOf(record);
  if (message) insertMessage.runNow(conn, message);
  return 'written';
}

type Part = {
  table: AnyTable;
  of(record: FinishedRecord): object | undefined;
  /** Columns copied from another row of the record, or constant. */
  same: Readonly<Record<string, string>>;
};

const ofTheActivity = { organization_id: '"a.organization_id"', activity_id: '"a.id"', created_at: '"a.created_at"' };

/** The rows of a record by alias. The activity is first; the others are written only if it was. */
const PARTS: Readonly<Record<string, Part>> = {
  a: { table: activities, of: ({ activity }) => activity, same: { updated_at: '"a.created_at"' } },
  v: { table: votes, of: ({ vote }) => vote, same: { ...ofTheActivity, message: 'NULL' } },
  u: {
    table: audit,
    of: (record) => record.audit,
    same: { ...ofTheActivity, actor_user_id: '"v.user_id"', credential_id: '"v.credential_id"' },
  },
  e: { table: evaluations, of: evaluationsOf, same: { ...ofTheActivity, vote_id: '"v.id"' } },
  m: { table: outbox, of: messageOf, same: ofTheActivity },
};

/** Converts a column's values to JSON that PostgreSQL reads; undefined: no conversion. */
function writesJson({ postgres: { type, write } }: AnyColumn): ((value: unknown) => unknown) | undefined {
  if (type !== 'bytea') return write;
  return (value) => {
    const stored = write === undefined ? value : write(value);
    return stored === null ? null : `\\x${(stored as Buffer).toString('hex')}`;
  };
}

/** The members of each row that the JSON contains. */
const GIVEN = Object.entries(PARTS).map(([alias, { table, of, same }]) => ({
  of,
  members: stored(table)
    .filter(({ name }) => !(name in same))
    .map(({ key, name, column, from }) => ({ as: `${alias}.${name}`, key, from, column, write: writesJson(column) })),
}));

const MEMBERS = GIVEN.flatMap(({ members }) => members);

const insertion = (alias: string, from: string): string => {
  const { table, same } = PARTS[alias]!;
  const names = stored(table).map(({ name }) => name);
  return `INSERT INTO ${table.name} (${names.map((name) => `"${name}"`)}) SELECT ${names.map((name) => same[name] ?? `"${alias}.${name}"`)} FROM ${from}`;
};

const TYPES = MEMBERS.map(({ as, column }) => `"${as}" ${column.postgres.type}`);

/** Inserts in the order of fingerprints, so that two batches cannot deadlock. */
const POSTGRES_RECORD = `
WITH given AS MATERIALIZED (SELECT * FROM json_to_recordset($1::json) AS g(n int, ${TYPES})
), stale AS MATERIALIZED (
  SELECT DISTINCT f.n FROM json_to_recordset($2::json) AS f(n int, id ${organizations.model.id.postgres.type}, version bigint)
  LEFT JOIN organizations o ON o.id = f.id WHERE o.version IS DISTINCT FROM f.version
), a AS (
  ${insertion('a', 'given WHERE n NOT IN (SELECT n FROM stale) ORDER BY "a.organization_id", "a.fingerprint"')}
  ON CONFLICT (organization_id, fingerprint) DO NOTHING
  RETURNING id
), w AS MATERIALIZED (SELECT given.* FROM given JOIN a ON a.id = given."a.id"
), v AS (
  ${insertion('v', 'w')}
), u AS (
  ${insertion('u', 'w')}
), e AS (
  ${insertion('e', 'w WHERE "e.id" IS NOT NULL')}
), m AS (
  ${insertion('m', 'w WHERE "m.id" IS NOT NULL')}
)
SELECT n, 'stale' AS outcome FROM stale UNION ALL SELECT n, 'written' FROM w`;

const record = written<{ n: number; outcome: RecordResult }>('postgres')(POSTGRES_RECORD, json(), json());

/** Every JSON row has the same members, so that building it is cheap. */
const EMPTY: Readonly<Record<string, unknown>> = Object.fromEntries(
  ['n', ...MEMBERS.map(({ as }) => as)].map((as) => [as, undefined]),
);

function rowOf(finished: FinishedRecord, n: number): object {
  const row: Record<string, unknown> = { ...EMPTY, n };
  for (const { of, members } of GIVEN) {
    const model = of(finished) as Record<string, unknown> | undefined;
    if (model === undefined) continue;
    for (const { as, key, from, write } of members) {
      const value = from === undefined ? model[key] : from(model);
      row[as] = write === undefined ? value : write(value);
    }
  }
  return row;
}

/** PostgreSQL: one statement for several records, version checks included: one round trip and one commit. */
export async function recordOnPostgres(conn: Conn, finished: readonly FinishedRecord[]): Promise<RecordResult[]> {
  const facts = finished.flatMap((one, n) => one.facts.map((fact) => ({ n, id: fact.organizationId, version: fact.version })));
  const outcomes = new Array<RecordResult>(finished.length).fill('exists');
  for (const { n, outcome } of await record.all(conn, [finished.map(rowOf), facts])) outcomes[n] = outcome;
  return outcomes;
}
