import { sql } from 'kysely';
import type { Organization } from '../../../model/organization.ts';
import { inLists } from '../../lists.ts';
import type { Page } from '../../page.ts';
import { ascending, boundsOf, descends } from '../../pages.ts';
import { inRange } from '../../ranges.ts';
import type { Schema } from '../../schema.ts';
import { type Conn, dynamic, statement } from '../../statement.ts';
import { values } from '../../table.ts';
import { type Counted, organizations } from '../../tables/organizations.ts';
import { countedNow } from '../limits/counts.ts';
import { notePolicyChanges } from '../policies/policy-changes.ts';
import type { Upkeep } from '../upkeep.ts';

const get = statement((db, p: { id: string }) => db.selectFrom('organizations').select(organizations.all).where('id', '=', p.id));
/** The event types that endpoints of an organization `o`, or of its parent `p`, want. */
export const LISTENERS = 'o.listeners | coalesce(p.listeners, 0)';
/** Until when the organization makes no signatures: it, or its parent, has used its quota. */
const OVER_QUOTA_UNTIL = 'CASE WHEN p.over_quota_until > o.over_quota_until THEN p.over_quota_until ELSE o.over_quota_until END';
const now = statement((db, p: { id: string }) =>
  db
    .selectFrom('organizations as o')
    .leftJoin('organizations as p', 'p.id', 'o.parent_id')
    .select([
      'o.version',
      sql<number>`${sql.raw(LISTENERS)}`.as('listeners'),
      sql<number>`${sql.raw(OVER_QUOTA_UNTIL)}`.as('overQuotaUntil'),
    ])
    .where('o.id', '=', p.id),
);
/** For the write of the hot path. */
export const nowOnSqlite = now.firstNow;
/** The same in a transaction. */
export const nowIn = now.first;
const held = statement(
  (db, p: { id: string }) =>
    db
      .selectFrom('organizations')
      .select(['version', 'listeners', 'over_quota_until as overQuotaUntil', 'parent_id as parentId'])
      .where('id', '=', p.id)
      .forNoKeyUpdate(),
  'postgres',
);
const insert = statement((db, p: Organization) => db.insertInto('organizations').values(values(organizations, p)));
const raise = statement((db, p: { id: string }) =>
  db
    .updateTable('organizations')
    .set((e) => ({ version: e('version', '+', 1) }))
    .where('id', '=', p.id),
);
const raiseBoth = statement((db, p: { id: string }) =>
  db
    .updateTable('organizations')
    .set((e) => ({ version: e('version', '+', 1), policies_version: e('policies_version', '+', 1) }))
    .where('id', '=', p.id),
);
const policiesVersion = statement((db, p: { id: string }) =>
  db.selectFrom('organizations').select('policies_version').where('id', '=', p.id),
);
const change = statement((db, p: Organization & { now: number }) =>
  db
    .updateTable('organizations')
    .set({
      name: p.name,
      root_quorum: p.rootQuorum,
      features: p.features,
      ip_allowlist: p.ipAllowlist,
      proxy_user_id: p.proxyUserId,
      root_recovery: p.rootRecovery,
      updated_at: p.now,
    })
    .where('id', '=', p.id),
);

/**
 * What each write checks of an organization's row. `overQuotaUntil`: until then it makes no signatures; 0 or a past time: it may. Both of the
 * latter members are also those of its parent.
 */
export type HeldOrganization = { version: number; listeners: number; overQuotaUntil: number };

const topLevel = dynamic({ after: true }, (db, { after, limit }: { after: string | undefined; limit: number }) => {
  const all = db.selectFrom('organizations').select('id').where('parent_id', 'is', null);
  return (after === undefined ? all : all.where('id', '>', after)).orderBy('id').limit(limit);
});

/** The condition is the same as the index's. */
const recovering = statement((db, p: { after: string; limit: number }) =>
  db
    .selectFrom('organizations')
    .select(organizations.all)
    .where(sql<boolean>`root_recovery <> ''`)
    .where('id', '>', p.after)
    .orderBy('id')
    .limit(p.limit),
);

/** How a parent finds a sub-organization: by its name, or by an attribute of one of its users or keys. */
export type SubOrganizationFilter = { by: keyof typeof holders; values: readonly string[] } | { by: 'VERIFIED' };

type Below = { parent: string; after: string | undefined; before: string | undefined; limit: number };

const all = dynamic({ after: true, before: true }, (db, p: Below) =>
  inRange(db.selectFrom('organizations').select('id'), { fixed: [['parent_id', p.parent]], key: 'id', ...boundsOf(p) }),
);
const named = dynamic({ after: true, before: true }, (db, p: Below & { value: string }) =>
  inRange(db.selectFrom('organizations').select('id').where('parent_id', '=', p.parent), {
    fixed: [['name', p.value]],
    key: 'id',
    ...boundsOf(p),
  }),
);

type Held = 'users' | 'credentials' | 'authenticators' | 'signers' | 'oauth_providers';

/**
 * For indexes that end in the organization's id: entries of several users in one organization are adjacent. `sparse`: the index has no
 * entries for NULL. A query planner uses such an index only if the query excludes NULL.
 */
const holding = <T extends Held>(table: T, column: keyof Schema[T] & string, sparse = false) =>
  dynamic({ after: true, before: true }, (db, p: Below & { value: string }) => {
    const query = db
      .selectFrom<Held>(table)
      .select(['organization_id as id', column as never])
      .distinct()
      .where('parent_id', '=', p.parent)
      .$if(sparse, (all) => all.where(column as never, 'is not', null));
    return inRange(query, { fixed: [[column as never, p.value]], key: 'organization_id', ...boundsOf(p) });
  });

/** All sub-organizations with a user who has a verified contact. The condition is the same as the index's. */
const verified = dynamic({ after: true, before: true }, (db, p: Below) => {
  const query = db
    .selectFrom('users')
    .select(['parent_id', 'organization_id as id'])
    .distinct()
    .where((e) => e.or([e('verified_email_key', 'is not', null), e('verified_phone', 'is not', null)]));
  return inRange(query, { fixed: [['parent_id', p.parent]], key: 'organization_id', ...boundsOf(p) });
});

const holders = {
  NAME: named,
  USERNAME: holding('users', 'name'),
  EMAIL: holding('users', 'email_key'),
  VERIFIED_EMAIL: holding('users', 'verified_email_key', true),
  PHONE_NUMBER: holding('users', 'phone'),
  VERIFIED_PHONE_NUMBER: holding('users', 'verified_phone', true),
  PUBLIC_KEY: holding('credentials', 'public_key'),
  OIDC_IDENTITY: holding('oauth_providers', 'identity'),
  CREDENTIAL_ID: holding('authenticators', 'credential_id'),
  WALLET_ACCOUNT_ADDRESS: holding('signers', 'address'),
};

const existing = dynamic({}, (db, p: { ids: readonly string[] }) =>
  db.selectFrom('organizations').select(['id', 'name']).where('id', 'in', p.ids),
);

/** The given organizations without deleted ones: the rows of a large organization are removed after the deletion. */
async function existingAmong(conn: Conn, ids: readonly string[]): Promise<Set<string>> {
  const found = await inLists(ids, (some) => existing.all(conn, { ids: some }));
  return new Set(found.map(({ id }) => id));
}

/** Drops rows of deleted organizations. If `most` rows were read, there may be more, and no row is dropped. */
export async function ofExisting<T extends { organizationId: string }>(conn: Conn, rows: T[], most: number): Promise<T[]> {
  if (rows.length === 0 || rows.length === most) return rows;
  const there = await existingAmong(conn, [...new Set(rows.map(({ organizationId }) => organizationId))]);
  return rows.filter(({ organizationId }) => there.has(organizationId));
}

/** A page of matching organizations. Each form of an address is one range; there are few forms. */
async function matching(conn: Conn, parent: string, filter: SubOrganizationFilter, page: Page): Promise<string[]> {
  const { after, before, limit } = page;
  const range = { parent, after, before, limit };
  const ranges =
    filter.by === 'VERIFIED'
      ? [await verified.all(conn, range)]
      : await Promise.all(filter.values.map((value) => holders[filter.by].all(conn, { ...range, value })));
  const found = [...new Set(ranges.flat().map(({ id }) => id))].sort();
  return (descends(page) ? found.reverse() : found).slice(0, limit);
}

/** A page without deleted organizations, in the order of the page. */
async function present(conn: Conn, parent: string, filter: SubOrganizationFilter, page: Page): Promise<string[]> {
  const found: string[] = [];
  for (let at = page; ; ) {
    const some = await matching(conn, parent, filter, at);
    const left = await existingAmong(conn, some);
    found.push(...some.filter((id) => left.has(id)));
    if (some.length < page.limit || found.length >= page.limit) return found.slice(0, page.limit);
    at = descends(page) ? { ...page, before: some.at(-1) } : { ...page, after: some.at(-1) };
  }
}

export const organizationReads = (conn: Conn) => ({
  async get(id: string): Promise<Organization | undefined> {
    return get.first(conn, { id });
  },
  /** The event types that its endpoints, or its parent's, want, as bits of `src/model/webhook.ts`. */
  async listeners(id: string): Promise<number> {
    return (await now.first(conn, { id }))?.listeners ?? 0;
  },
  /** The organization's count of a limited resource, for early refusals. The transaction counts again. */
  async counted(id: string, counted: Counted): Promise<number> {
    return countedNow(conn, id, counted);
  },
  /** Without deleted organizations. */
  async namesOf(ids: readonly string[]): Promise<Map<string, string>> {
    const found = await inLists(ids, (some) => existing.all(conn, { ids: some }));
    return new Map(found.map(({ id, name }) => [id, name]));
  },
  /** Ids of sub-organizations in the order of their creation; `after` and `before` are exclusive. */
  async subOrganizationIds(parentId: string, filter: SubOrganizationFilter | undefined, page: Page): Promise<string[]> {
    if (filter !== undefined) return ascending(await present(conn, parentId, filter, page), page);
    const { after, before, limit } = page;
    const rows = await all.all(conn, { parent: parentId, after, before, limit });
    const ids = rows.map(({ id }) => id);
    return ascending(ids, page);
  },
});

/** Of all organizations: for the operator. */
export const allOrganizationReads = (conn: Conn) => ({
  /** Organizations without a parent, in the order of their creation. */
  async topLevel(limit: number, after?: string): Promise<{ id: string }[]> {
    return topLevel.all(conn, { after, limit });
  },
  /** Organizations with a recovery by the operator, or that refuse it, in the order of their creation. */
  async recovering(limit: number, after = ''): Promise<Organization[]> {
    return recovering.all(conn, { limit, after });
  },
});

export const organizationWrites = (conn: Conn, { counts }: Upkeep) => ({
  /**
   * Returns what writes check. The row is locked until this transaction ends, so that counts and free names stay valid.
   * SQLite has only one writer. On PostgreSQL, signatures do not wait, because they only read the version.
   */
  async hold(id: string): Promise<HeldOrganization | undefined> {
    if (conn.engine === 'sqlite') return now.first(conn, { id });
    const own = await held.first(conn, { id });
    if (own === undefined || own.parentId === null) return own;
    // The statement that waits for a lock sees other rows as they were before the wait.
    const { listeners = 0, overQuotaUntil = 0 } = (await now.first(conn, { id: own.parentId })) ?? {};
    return {
      version: own.version,
      listeners: own.listeners | listeners,
      overQuotaUntil: Math.max(own.overQuotaUntil, overQuotaUntil),
    };
  },
  /** The organization's count of a limited resource. */
  async count(id: string, counted: Counted): Promise<number> {
    return counts.get(id, counted);
  },
  async insert(organization: Organization): Promise<void> {
    await insert.run(conn, organization);
  },
  async change(
    id: string,
    changed: Partial<Pick<Organization, 'name' | 'rootQuorum' | 'features' | 'ipAllowlist' | 'proxyUserId' | 'rootRecovery'>>,
    now: number,
  ): Promise<void> {
    const organization = await get.first(conn, { id });
    if (organization === undefined) throw new Error(`no organization ${id}`);
    await change.run(conn, { ...organization, ...changed, now });
  },
});

/**
 * Called last in the transaction that changed the organization's facts; decisions by older facts are then made anew. `policyIds`: the
 * changed policies. On PostgreSQL the update locks the row until the commit. Versions therefore become visible in their order, each
 * with its changes.
 */
export async function raiseVersion(conn: Conn, id: string, policyIds: ReadonlySet<string>): Promise<void> {
  if (policyIds.size === 0) {
    await raise.run(conn, { id });
    return;
  }
  await raiseBoth.run(conn, { id });
  const { policies_version } = (await policiesVersion.first(conn, { id }))!;
  await notePolicyChanges(conn, id, policies_version, policyIds);
}
