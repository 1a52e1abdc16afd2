import { sql } from 'kysely';
import { firstIdOf } from '../../base/id-time.ts';
import { isTerminal } from '../../model/activity.ts';
import { isOver, SEND_STATES } from '../../model/send.ts';
import { auditingReads } from '../repositories/activities/audited.ts';
import { shippingReads } from '../repositories/activities/shipping.ts';
import { summingReads } from '../repositories/billing/usage.ts';
import { type Conn, statement } from '../statement.ts';

/** An activity that may be archived. `bytes`: the size of its body, result, failure and evaluations. */
export type Chosen = { organizationId: string; id: string; createdAt: number; bytes: number };

/** A batch ends with the activity that reaches one of these bounds. */
export type Bounds = { rows: number; bytes: number };

const BEFORE_ALL = '00000000-0000-0000-0000-000000000000';

const DAY_MS = 24 * 60 * 60 * 1000;

/** A request body counts as new for an hour. The rest allows for clocks that disagree. */
export const KEPT_MS = 2 * DAY_MS;

const nextOrganization = statement((db, p: { after: string }) =>
  db
    .selectFrom('activities')
    .select('organization_id as organizationId')
    .where('organization_id', '>', p.after)
    .orderBy('organization_id')
    .limit(1),
);

const NOT_OVER = sql<boolean>`sends.state in (${sql.raw(
  SEND_STATES.filter((state) => !isOver({ state }))
    .map((state) => `'${state}'`)
    .join(', '),
)})`;

/** The program filters by time: the ids of a range come from one index. */
const older = statement((db, p: { org: string; after: string; until: string; cutoff: number; limit: number }) =>
  db
    .selectFrom('activities')
    .select((e) => [
      e
        .exists(
          e
            .selectFrom('sends')
            .select('sends.id')
            .whereRef('sends.organization_id', '=', 'activities.organization_id')
            .whereRef('sends.activity_id', '=', 'activities.id')
            .where((of) => of.or([NOT_OVER, of('sends.updated_at', '>=', p.cutoff)])),
        )
        .as('isSending'),
      'id',
      'status',
      'created_at as createdAt',
      'updated_at as updatedAt',
      sql<number>`octet_length(body) + octet_length(result) + octet_length(failure) + coalesce(octet_length(evaluations), 0)`.as(
        'bytes',
      ),
    ])
    .where('organization_id', '=', p.org)
    .where('id', '>', p.after)
    .where('id', '<', p.until)
    .orderBy('id')
    .limit(p.limit),
);

const lastActivity = statement((db) =>
  db.selectFrom('activities').select(['position', 'created_at as createdAt']).orderBy('position', 'desc').limit(1),
);
const lastAudit = statement((db) =>
  db.selectFrom('audit').select(['position', 'created_at as createdAt']).orderBy('position', 'desc').limit(1),
);

/** When the row with the highest position was written. */
export async function lastWritten(conn: Conn): Promise<number | undefined> {
  const activity = await lastActivity.first(conn, {});
  const audit = await lastAudit.first(conn, {});
  return (audit !== undefined && audit.position > (activity?.position ?? -1) ? audit : activity)?.createdAt;
}

/**
 * Activities that finished before this time may be archived. It is `before`, or two days before the last written row if that is
 * earlier. So the row with the highest position always stays, and a wrong clock on this machine archives no recent rows. Rows whose
 * usage is not summed yet, or whose facts are not written for auditors, stay in the same way. So do those that wait to be shipped, if
 * the record is (`ships`). Undefined: there is no such time.
 */
export async function cutoffOf(conn: Conn, before: number, ships: boolean): Promise<number | undefined> {
  const last = await lastWritten(conn);
  if (last === undefined) return undefined;
  const notSummed = (await summingReads(conn).notSummedSince()) ?? last;
  const notAudited = (await auditingReads(conn).notAuditedSince()) ?? last;
  const notShipped = (ships ? await shippingReads(conn).notShippedSince() : undefined) ?? last;
  return Math.min(before, Math.min(last, notSummed, notAudited, notShipped) - KEPT_MS);
}

/**
 * All activities that finished before `cutoff`, with all their sends, organization by organization, in batches. An id is made after its
 * activity's `createdAt`, so older activities have smaller ids.
 */
export async function* batches(conn: Conn, cutoff: number, { rows, bytes }: Bounds): AsyncGenerator<Chosen[]> {
  const until = firstIdOf(Math.max(0, cutoff));
  let batch: Chosen[] = [];
  let held = 0;
  for (let org = BEFORE_ALL; ; ) {
    const next = await nextOrganization.first(conn, { after: org });
    if (next === undefined) break;
    org = next.organizationId;
    for (let after = BEFORE_ALL; ; ) {
      const found = await older.all(conn, { org, after, until, cutoff, limit: rows });
      for (const { id, status, createdAt, updatedAt, isSending, bytes: size } of found) {
        if (!isTerminal(status) || isSending || updatedAt >= cutoff || createdAt >= cutoff) continue;
        batch.push({ organizationId: org, id, createdAt, bytes: Number(size) });
        held += Number(size);
        if (batch.length < rows && held < bytes) continue;
        yield batch;
        batch = [];
        held = 0;
      }
      if (found.length < rows) break;
      after = found.at(-1)!.id;
    }
  }
  if (batch.length > 0) yield batch;
}
