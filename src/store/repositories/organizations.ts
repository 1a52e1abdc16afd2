import type { Organization } from '../../model/organization.ts';
import type { Page } from '../page.ts';
import type { Schema } from '../schema.ts';
import { type Conn, dynamic, statement } from '../statement.ts';

type Row = Schema['organizations'];

export const toOrganization = (row: Row): Organization => ({
  id: row.id,
  parentId: row.parent_id,
  name: row.name,
  version: row.version,
  rootQuorum: JSON.parse(row.root_quorum) as Organization['rootQuorum'],
  features: JSON.parse(row.features) as Organization['features'],
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

const get = statement((db, p: { id: string }) => db.selectFrom('organizations').selectAll().where('id', '=', p.id));
const version = statement((db, p: { id: string }) => db.selectFrom('organizations').select('version').where('id', '=', p.id));
const heldVersion = statement((db, p: { id: string }) =>
  db.selectFrom('organizations').select('version').where('id', '=', p.id).forNoKeyUpdate(),
);
const insert = statement((db, p: Row) =>
  db.insertInto('organizations').values({
    id: p.id,
    parent_id: p.parent_id,
    name: p.name,
    version: p.version,
    root_quorum: p.root_quorum,
    features: p.features,
    created_at: p.created_at,
    updated_at: p.updated_at,
  }),
);
const raise = statement((db, p: { id: string }) =>
  db
    .updateTable('organizations')
    .set((e) => ({ version: e('version', '+', 1) }))
    .where('id', '=', p.id),
);
const change = statement((db, p: { id: string; name: string; quorum: string; features: string; now: number }) =>
  db
    .updateTable('organizations')
    .set({ name: p.name, root_quorum: p.quorum, features: p.features, updated_at: p.now })
    .where('id', '=', p.id),
);

/** How a parent finds a sub-organization: by its own name, or by what one of its users or keys is. */
export type SubOrganizationFilter = {
  by: 'NAME' | 'USERNAME' | 'EMAIL' | 'PHONE_NUMBER' | 'PUBLIC_KEY' | 'WALLET_ACCOUNT_ADDRESS';
  values: readonly string[];
};

const HOLDERS = {
  USERNAME: ['users', 'name'],
  EMAIL: ['users', 'email_key'],
  PHONE_NUMBER: ['users', 'phone'],
  PUBLIC_KEY: ['credentials', 'public_key'],
  WALLET_ACCOUNT_ADDRESS: ['signers', 'address'],
} as const;

export const organizationReads = (conn: Conn) => ({
  async get(id: string): Promise<Organization | undefined> {
    const row = await get.first(conn, { id });
    return row && toOrganization(row);
  },
  /** Ids of sub-organizations in the order of their creation; `after` and `before` are exclusive. */
  async subOrganizationIds(parentId: string, filter: SubOrganizationFilter | undefined, page: Page): Promise<string[]> {
    const descending = page.before !== undefined && page.after === undefined;
    const rows = await dynamic<{ id: string }>(conn, (db) => {
      if (filter === undefined || filter.by === 'NAME') {
        let query = db.selectFrom('organizations').select('id').where('parent_id', '=', parentId);
        if (filter) query = query.where('name', 'in', filter.values);
        if (page.after !== undefined) query = query.where('id', '>', page.after);
        if (page.before !== undefined) query = query.where('id', '<', page.before);
        return query.orderBy('id', descending ? 'desc' : 'asc').limit(page.limit);
      }
      const [table, column] = HOLDERS[filter.by];
      let query = db
        .selectFrom(table)
        .select('organization_id as id')
        .distinct()
        .where('parent_id', '=', parentId)
        .where(column as never, 'in', filter.values as never);
      if (page.after !== undefined) query = query.where('organization_id', '>', page.after);
      if (page.before !== undefined) query = query.where('organization_id', '<', page.before);
      return query.orderBy('organization_id', descending ? 'desc' : 'asc').limit(page.limit);
    });
    const ids = rows.map((row) => row.id);
    return descending ? ids.reverse() : ids;
  },
});

export const organizationWrites = (conn: Conn) => ({
  /**
   * The version, which nobody else's transaction holds until this one ends: what is counted and found free meanwhile stays so.
   * SQLite has one writer anyway. On PostgreSQL signatures, which only read the version, do not wait.
   */
  async hold(id: string): Promise<number | undefined> {
    return (await (conn.engine === 'sqlite' ? version : heldVersion).first(conn, { id }))?.version;
  },
  async insert(organization: Organization): Promise<void> {
    await insert.run(conn, {
      id: organization.id,
      parent_id: organization.parentId,
      name: organization.name,
      version: organization.version,
      root_quorum: JSON.stringify(organization.rootQuorum),
      features: JSON.stringify(organization.features),
      created_at: organization.createdAt,
      updated_at: organization.updatedAt,
    });
  },
  async change(id: string, changed: Partial<Pick<Organization, 'name' | 'rootQuorum' | 'features'>>, now: number): Promise<void> {
    const row = await get.first(conn, { id });
    if (row === undefined) throw new Error(`no organization ${id}`);
    const { name, rootQuorum, features } = { ...toOrganization(row), ...changed };
    await change.run(conn, { id, name, quorum: JSON.stringify(rootQuorum), features: JSON.stringify(features), now });
  },
});

/** For the transaction that changed the organization's facts: whoever decided by older ones decides anew. */
export async function raiseVersion(conn: Conn, id: string): Promise<void> {
  await raise.run(conn, { id });
}
