import type { ActivityStatus } from '../../../model/activity.ts';
import { AUDIT_PLACE, type Audited, type AuditFact, type Subject } from '../../../model/audit-fact.ts';
import { arrays } from '../../arrays.ts';
import type { Column } from '../../columns.ts';
import { inLists } from '../../lists.ts';
import type { Page } from '../../page.ts';
import { inRange } from '../../ranges.ts';
import { type Conn, dynamic, written } from '../../statement.ts';
import { type AnyTable, stored } from '../../table.ts';
import { auditFacts, auditSubjects } from '../../tables/audit-facts.ts';
import { instanceWrites } from '../service/instance.ts';
import { type ActivityFilter, boundsOf } from './activities.ts';
import type { Place } from './next-positions.ts';
import { type Among, type Bounds, idsAmong, rangesOf, typesIn } from './pairs.ts';

const page = dynamic({ backwards: true }, (db, p: Bounds & { org: string }) =>
  inRange(db.selectFrom('audit_facts').select(auditFacts.all).where('organization_id', '=', p.org), {
    fixed: [],
    key: 'activity_id',
    above: p.above,
    below: p.below,
    descending: p.backwards === undefined,
    limit: p.limit,
  }),
);
const ofActivities = dynamic({}, (db, p: { org: string; ids: readonly string[] }) =>
  db.selectFrom('audit_facts').select(auditFacts.all).where('organization_id', '=', p.org).where('activity_id', 'in', p.ids),
);

const INDEX = { table: 'audit_subjects', key: 'activity_id', first: ['organization_id', 'kind', 'subject_id'] } as const;
type Listed = Among & Bounds & Subject & { org: string };
const ofSubject = dynamic({ backwards: true }, (db, p: Listed, engine) =>
  db
    .selectFrom('audit_facts')
    .select(auditFacts.all)
    .where('organization_id', '=', p.org)
    .where('activity_id', 'in', idsAmong(db, engine, INDEX, p, [p.org, p.kind, p.subjectId])),
);
const { organizationId, kind, subjectId } = auditSubjects.model;
const typesOf = typesIn(INDEX, [organizationId, kind, subjectId] as Column<unknown>[]);

/** Writes many rows: on PostgreSQL in one statement. `sqlite`: for one row, with its columns as `bound`. `rows`: the rows, by the name g. */
function writing(table: AnyTable, sqlite: string, postgres: (rows: string) => string, bound = stored(table)) {
  const columns = stored(table);
  const given = arrays(table, []);
  const types = given.columns.map(({ postgres: { type } }, i) => `$${i + 1}::${type}`);
  const one = written<object>('sqlite')(sqlite, ...bound.map(({ column }) => column as Column<unknown>));
  const all = written<object>('postgres')(
    postgres(`unnest(${types.join(', ')}) AS g(${columns.map(({ name }) => name).join(', ')})`),
    ...(given.columns as Column<unknown>[]),
  );
  return async (conn: Conn, rows: readonly object[]): Promise<void> => {
    if (rows.length === 0) return;
    if (conn.engine === 'postgres') await all.run(conn, given.of(rows) as never);
    else for (const row of rows) await one.run(conn, bound.map(({ key }) => row[key as keyof object]) as never);
  };
}

/** The worker may reach an activity after its organization was deleted, with all rows but the record. Then it writes nothing. */
function putting(table: AnyTable, conflict: string) {
  const columns = stored(table);
  const organization = columns.filter(({ name }) => name === 'organization_id');
  const into = `INSERT INTO ${table.name} (${columns.map(({ name }) => name).join(', ')})`;
  return writing(
    table,
    `${into} SELECT ${columns.map(() => '?').join(', ')} FROM organizations o WHERE o.id = ? ON CONFLICT ${conflict}`,
    (rows) =>
      `${into} SELECT g.* FROM ${rows} JOIN organizations o ON o.id = g.organization_id WHERE true ON CONFLICT ${conflict}`,
    [...columns, ...organization],
  );
}
const putFacts = putting(
  auditFacts,
  `(organization_id, activity_id) DO UPDATE
  SET status = excluded.status, wallet_ids = excluded.wallet_ids, updated_at = excluded.updated_at`,
);
const putSubjects = putting(auditSubjects, 'DO NOTHING');
const KEY = stored(auditSubjects).map(({ name }) => name);
const removeSubjects = writing(
  auditSubjects,
  `DELETE FROM audit_subjects WHERE ${KEY.map((name) => `${name} = ?`).join(' AND ')}`,
  (rows) => `DELETE FROM audit_subjects s USING ${rows} WHERE ${KEY.map((name) => `s.${name} = g.${name}`).join(' AND ')}`,
);

/** The rows of `audit_subjects` for an activity in a status. */
const rowsOf = ({ organizationId, activityId, type, subjects }: Audited, status: ActivityStatus) =>
  subjects.map((subject) => ({ organizationId, ...subject, status, type, activityId }));

const keyOf = ({ organizationId, activityId }: AuditFact) => `${organizationId} ${activityId}`;

/** Also with the wallets of its earlier facts: their accounts may have been deleted since. */
function withWallets(one: Audited, before: AuditFact | undefined): Audited {
  const gone = before?.walletIds.filter((id) => !one.walletIds.includes(id)) ?? [];
  const subjects = gone.map((subjectId): Subject => ({ kind: 'wallet', subjectId }));
  return gone.length === 0 ? one : { ...one, walletIds: [...one.walletIds, ...gone], subjects: [...one.subjects, ...subjects] };
}

const newestFirst = (a: AuditFact, b: AuditFact): number => (a.activityId < b.activityId ? 1 : -1);

/** The worker writes facts after their activity, and leaves them when it is archived. */
export const auditFactReads = (conn: Conn) => ({
  /** All activities of the organization, newest first. */
  async page(org: string, filter: Pick<ActivityFilter, 'from' | 'until'>, at: Page): Promise<AuditFact[]> {
    const bounds = boundsOf(filter, at);
    const found = await page.all(conn, { org, ...bounds });
    return bounds.backwards ? found.reverse() : found;
  },
  /** The activities of a subject, newest first. Each pair of status and type is one range of the index. */
  async ofSubject(org: string, subject: Subject, filter: ActivityFilter, at: Page): Promise<AuditFact[]> {
    const { kind, subjectId } = subject;
    const bounds = boundsOf(filter, at);
    const found: AuditFact[] = [];
    for (const among of await rangesOf(filter, (status) => typesOf(conn, [org, kind, subjectId], status)))
      found.push(...(await ofSubject.all(conn, { org, kind, subjectId, ...among, ...bounds })));
    found.sort(newestFirst);
    return bounds.backwards ? found.slice(-at.limit) : found.slice(0, at.limit);
  },
  async ofActivities(org: string, ids: readonly string[]): Promise<AuditFact[]> {
    return inLists(ids, (some) => ofActivities.all(conn, { org, ids: some }));
  },
});

/** Only the worker writes, in transactions that begin with its lease. */
export const auditFactWrites = (conn: Conn) => ({
  /** Writes facts, each activity once. `before`: the earlier facts of those that had any. */
  async put(found: readonly Audited[], before: readonly AuditFact[]): Promise<void> {
    const earlier = new Map(before.map((one) => [keyOf(one), one]));
    const all = found.map((one) => withWallets(one, earlier.get(keyOf(one))));
    const moved = all.flatMap((one) => {
      const status = earlier.get(keyOf(one))?.status;
      return status === undefined || status === one.status ? [] : rowsOf(one, status);
    });
    await removeSubjects(conn, moved);
    await putSubjects(
      conn,
      all.flatMap((one) => rowsOf(one, one.status)),
    );
    await putFacts(conn, all);
  },
  /** In the transaction that writes the facts up to there. */
  async moveTo(place: Place): Promise<void> {
    await instanceWrites(conn).put(AUDIT_PLACE, JSON.stringify(place));
  },
});
