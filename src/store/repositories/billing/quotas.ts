import { sql } from 'kysely';
import type { Quota, QuotaLevel } from '../../../model/usage.ts';
import { inLists } from '../../lists.ts';
import { type Conn, dynamic, statement } from '../../statement.ts';
import { values } from '../../table.ts';
import { quotas } from '../../tables/billing.ts';

const of = dynamic({}, (db, p: { orgs: readonly string[] }) =>
  db.selectFrom('quotas').select(quotas.all).where('organization_id', 'in', p.orgs),
);
const page = statement((db, p: { after: string; limit: number }) =>
  db.selectFrom('quotas').select(quotas.all).where('organization_id', '>', p.after).orderBy('organization_id').limit(p.limit),
);
const count = statement((db, p: { level: QuotaLevel; now: number }) =>
  db
    .selectFrom('quotas')
    .select(sql<number>`cast(count(*) as bigint)`.as('count'))
    .where('level', '=', p.level)
    .where('ends_at', '>', p.now),
);
const until = statement((db, p: { org: string }) =>
  db.selectFrom('organizations').select('over_quota_until').where('id', '=', p.org),
);
const put = statement((db, p: Quota) => {
  const row = values(quotas, p);
  return db
    .insertInto('quotas')
    .values(row)
    .onConflict((c) => c.column('organization_id').doUpdateSet(row));
});
/** Unless the operator has changed the quota meanwhile. */
const note = statement((db, p: Quota) =>
  db
    .updateTable('quotas')
    .set({ used: p.used, level: p.level, ends_at: p.endsAt })
    .where('organization_id', '=', p.organizationId)
    .where('signatures', '=', p.signatures),
);
const remove = statement((db, p: { org: string }) => db.deleteFrom('quotas').where('organization_id', '=', p.org));
const setOver = statement((db, p: { org: string; until: number }) =>
  db
    .updateTable('organizations')
    .set({ over_quota_until: p.until })
    .where('id', '=', p.org)
    .where('over_quota_until', '!=', p.until),
);

/** Before every id. */
const FIRST = '00000000-0000-0000-0000-000000000000';

/** Of all organizations: for the operator. */
export const allQuotaReads = (conn: Conn) => ({
  /** In the order of the organizations' ids. */
  async page(limit: number, after = FIRST): Promise<Quota[]> {
    return page.all(conn, { after, limit });
  },
  /** The number of organizations whose usage of the current month has reached a level. */
  async count(level: QuotaLevel, now: number): Promise<number> {
    return (await count.first(conn, { level, now }))!.count;
  },
});

export const quotaReads = (conn: Conn) => ({
  /** The quotas of those organizations that have one. */
  async of(orgs: readonly string[]): Promise<Quota[]> {
    return inLists(orgs, (some) => of.all(conn, { orgs: some }));
  },
  /** The time until which an organization makes no signatures. It is past, or 0, if the organization is not over its quota. */
  async overUntil(org: string): Promise<number> {
    return (await until.first(conn, { org }))?.over_quota_until ?? 0;
  },
});

const untilOf = ({ level, endsAt }: Quota): number => (level === 'over' ? endsAt : 0);

/** Each also sets until when the organization makes no signatures. The row of the quota is locked first. */
export const quotaWrites = (conn: Conn) => ({
  /** Sets the quota of its organization. */
  async put(quota: Quota): Promise<void> {
    await put.run(conn, quota);
    await setOver.run(conn, { org: quota.organizationId, until: untilOf(quota) });
  },
  /** Notes how much of the quota is used. False if the quota was changed or removed meanwhile: then it was judged anew. */
  async note(quota: Quota): Promise<boolean> {
    if ((await note.run(conn, quota)) === 0) return false;
    await setOver.run(conn, { org: quota.organizationId, until: untilOf(quota) });
    return true;
  },
  /** False if the organization has none. */
  async remove(org: string): Promise<boolean> {
    const isGone = (await remove.run(conn, { org })) === 1;
    await setOver.run(conn, { org, until: 0 });
    return isGone;
  },
});
