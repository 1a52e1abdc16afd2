import type { Activity } from '../model/activity.ts';
import { activityRow, insertActivity, insertVote, voteRow } from './repositories/activities.ts';
import { auditRow, insertAudit } from './repositories/audit.ts';
import { insertEvaluations } from './repositories/evaluations.ts';
import { type Conn, statement } from './statement.ts';
import type { Fact, FinishedRecord } from './types.ts';

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

const POSTGRES_RECORD = `
WITH fresh AS (
  SELECT count(*) = cardinality($1::text[]) AS ok
  FROM organizations o JOIN unnest($1::text[], $2::bigint[]) AS f(id, version) ON o.id = f.id AND o.version = f.version
), a AS (
  INSERT INTO activities (organization_id, id, fingerprint, type, status, body, result, failure, version, created_at, updated_at)
  SELECT $3::text, $4::text, $5::text, $6::text, $7::text, $8::bytea, $9::text, $10::text, $11::bigint, $12::bigint, $12::bigint
  FROM fresh WHERE ok
  ON CONFLICT (organization_id, fingerprint) DO NOTHING
  RETURNING organization_id, id, created_at
), v AS (
  INSERT INTO votes (organization_id, activity_id, id, user_id, credential_id, selection, scheme, public_key, signature, message, created_at)
  SELECT organization_id, id, $13::text, $14::text, $15::text, $16::text, $17::text, $18::text, $19::text, NULL, created_at FROM a
), u AS (
  INSERT INTO audit (organization_id, id, activity_id, event, actor_organization_id, actor_user_id, credential_id, created_at)
  SELECT organization_id, $20::text, id, $21::text, $22::text, $14::text, $15::text, created_at FROM a
), e AS (
  INSERT INTO evaluations (organization_id, activity_id, vote_id, id, evaluations, created_at)
  SELECT organization_id, id, $13::text, $23::text, $24::text, created_at FROM a WHERE $24::text <> ''
)
SELECT (SELECT ok FROM fresh) AS fresh, (SELECT count(*) FROM a)::int AS written`;

function parameters({ activity, vote, audit, facts, evaluations }: FinishedRecord): unknown[] {
  const a: Activity = activity;
  return [
    facts.map((f: Fact) => f.organizationId),
    facts.map((f: Fact) => f.version),
    a.organizationId,
    a.id,
    a.fingerprint,
    a.type,
    a.status,
    a.body,
    a.result,
    a.failure === null ? '' : JSON.stringify(a.failure),
    a.version,
    a.createdAt,
    vote.id,
    vote.userId,
    vote.credentialId,
    vote.selection,
    vote.scheme,
    vote.publicKey,
    vote.signature,
    audit.id,
    audit.event,
    audit.actorOrganizationId,
    evaluations?.id ?? '',
    evaluations?.text ?? '',
  ];
}

/** PostgreSQL: one statement, so one round trip and one commit, that carries its own version check. */
export async function recordOnPostgres(conn: Conn, finished: FinishedRecord): Promise<Recorded> {
  const [row] = (await conn.all(POSTGRES_RECORD, parameters(finished))) as [{ fresh: boolean; written: number }];
  if (!row.fresh) return 'stale';
  return row.written === 1 ? 'written' : 'exists';
}
