import { activityRow, insertActivity, insertVote, voteRow } from './repositories/activities.ts';
import { auditRow, insertAudit } from './repositories/audit.ts';
import { insertEvaluations } from './repositories/evaluations.ts';
import { type Conn, statement } from './statement.ts';
import type { FinishedRecord } from './types.ts';

const version = statement((db, p: { id: string }) => db.selectFrom('organizations').select('version').where('id', '=', p.id));

type Recorded = 'written' | 'exists' | 'stale';

/** SQLite: a few prepared statements inside the group's transaction, all synchronous. */
export function recordOnSqlite(conn: Conn, { activity, vote, audit, facts, evaluations }: FinishedRecord): Recorded {
  const sql = version.sql('sqlite');
  for (const fact of facts) {
    const row = (conn.all(sql, [fact.organizationId]) as { version: number }[])[0];
    if (row?.version !== fact.version) return 'stale';
  }
  if (insertActivity.runNow(conn, activityRow(activity)) === 0) return 'exists';
  insertVote.runNow(conn, voteRow(vote));
  insertAudit.runNow(conn, auditRow(audit));
  if (evaluations) {
    insertEvaluations.runNow(conn, {
      organization_id: activity.organizationId,
      activity_id: activity.id,
      vote_id: vote.id,
      id: evaluations.id,
      evaluations: evaluations.text,
      created_at: vote.createdAt,
    });
  }
  return 'written';
}

/** In the order of `rowOf`. */
const COLUMNS = `n int, organization_id text, id text, fingerprint text, type text, status text, body text, result text, failure text,
  version bigint, created_at bigint, vote_id text, user_id text, user_version bigint, credential_id text, selection text, scheme text, public_key text,
  signature text, audit_id text, event text, actor_organization_id text, evaluations_id text, evaluations text`;

/** Rows in the order of their fingerprints, so that two batches never wait for each other's. */
const POSTGRES_RECORD = `
WITH given AS MATERIALIZED (SELECT * FROM json_to_recordset($1::json) AS g(${COLUMNS})
), stale AS MATERIALIZED (
  SELECT DISTINCT f.n FROM json_to_recordset($2::json) AS f(n int, id text, version bigint)
  LEFT JOIN organizations o ON o.id = f.id WHERE o.version IS DISTINCT FROM f.version
), a AS (
  INSERT INTO activities (organization_id, id, fingerprint, type, status, body, result, failure, version, created_at, updated_at)
  SELECT organization_id, id, fingerprint, type, status, decode(body, 'hex'), result, failure, version, created_at, created_at
  FROM given WHERE n NOT IN (SELECT n FROM stale) ORDER BY organization_id, fingerprint
  ON CONFLICT (organization_id, fingerprint) DO NOTHING
  RETURNING id
), w AS MATERIALIZED (SELECT given.* FROM given JOIN a USING (id)
), v AS (
  INSERT INTO votes (organization_id, activity_id, id, user_id, credential_id, selection, scheme, public_key, signature, message, created_at, user_version)
  SELECT organization_id, id, vote_id, user_id, credential_id, selection, scheme, public_key, signature, NULL, created_at, user_version FROM w
), u AS (
  INSERT INTO audit (organization_id, id, activity_id, event, actor_organization_id, actor_user_id, credential_id, created_at)
  SELECT organization_id, audit_id, id, event, actor_organization_id, user_id, credential_id, created_at FROM w
), e AS (
  INSERT INTO evaluations (organization_id, activity_id, vote_id, id, evaluations, created_at)
  SELECT organization_id, id, vote_id, evaluations_id, evaluations, created_at FROM w WHERE evaluations <> ''
)
SELECT n, 'stale' AS outcome FROM stale UNION ALL SELECT n, 'written' FROM w`;

const rowOf = ({ activity, vote, audit, evaluations }: FinishedRecord, n: number) => ({
  n,
  organization_id: activity.organizationId,
  id: activity.id,
  fingerprint: activity.fingerprint,
  type: activity.type,
  status: activity.status,
  body: activity.body.toString('hex'),
  result: activity.result,
  failure: activity.failure === null ? '' : JSON.stringify(activity.failure),
  version: activity.version,
  created_at: activity.createdAt,
  vote_id: vote.id,
  user_id: vote.userId,
  user_version: vote.userVersion,
  credential_id: vote.credentialId,
  selection: vote.selection,
  scheme: vote.scheme,
  public_key: vote.publicKey,
  signature: vote.signature,
  audit_id: audit.id,
  event: audit.event,
  actor_organization_id: audit.actorOrganizationId,
  evaluations_id: evaluations?.id ?? '',
  evaluations: evaluations?.text ?? '',
});

/** PostgreSQL: one statement for several records, so one round trip and one commit, that carries its own version checks. */
export async function recordOnPostgres(conn: Conn, finished: readonly FinishedRecord[]): Promise<Recorded[]> {
  const facts = finished.flatMap((record, n) =>
    record.facts.map((fact) => ({ n, id: fact.organizationId, version: fact.version })),
  );
  const rows = await conn.all(POSTGRES_RECORD, [JSON.stringify(finished.map(rowOf)), JSON.stringify(facts)]);
  const outcomes = new Array<Recorded>(finished.length).fill('exists');
  for (const { n, outcome } of rows as { n: number; outcome: Recorded }[]) outcomes[n] = outcome;
  return outcomes;
}
