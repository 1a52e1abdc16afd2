import type { Organization } from '../../model/organization.ts';
import type { Page } from '../page.ts';
import { type Conn, dynamic, statement } from '../statement.ts';
import { values } from '../table.ts';
import { organizations } from '../tables/organizations.ts';
import { notePolicyChanges } from './policy-changes.ts';

const get = statement((db, p: { id: string }) => db.selectFrom('organizations').select(organizations.all).where('id', '=', p.id));
export const versionNow = statement(
  (db, p: { id: string }) => db.selectFrom('organizations').select('version').where('id', '=', p.id),
  'sqlite',
);
const heldVersion = statement(
  (db, p: { id: string }) => db.selectFrom('organizations').select('version').where('id', '=', p.id).forNoKeyUpdate(),
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
    .set({ name: p.name, root_quorum: p.rootQuorum, features: p.features, updated_at: p.now })
    .where('id', '=', p.id),
);

/** How a parent finds a sub-organization: by its name, or by an attribute of one of its users or keys. */
export type SubOrganizationFilter = {
  by: 'NAME' | 'USERNAME' | 'EMAIL' | 'PHONE_NUMBER' | 'PUBLIC_KEY' | 'WALLET_ACCOUNT_ADDRESS';
  values: readonly string[];
};

type Below = { parent: string; after: string | undefined; before: string | undefined; limit: number };

const descends = ({ after, before }: Omit<Page, 'limit'>): boolean => before !== undefined && after === undefined;

const named = dynamic({ names: true, after: true, before: true }, (db, p: Below & { names: readonly string[] | undefined }) => {
  let query = db.selectFrom('organizations').select('id').where('parent_id', '=', p.parent);
  if (p.names !== undefined) query = query.where('name', 'in', p.names);
  if (p.after !== undefined) query = query.where('id', '>', p.after);
  if (p.before !== undefined) query = query.where('id', '<', p.before);
  return query.orderBy('id', descends(p) ? 'desc' : 'asc').limit(p.limit);
});

const holding = (table: 'users' | 'credentials' | 'signers', column: string) =>
  dynamic({ after: true, before: true }, (db, p: Below & { values: readonly string[] }) => {
    let query = db
      .selectFrom(table)
      .select('organization_id as id')
      .distinct()
      .where('parent_id', '=', p.parent)
      .where(column as never, 'in', p.values as never);
    if (p.after !== undefined) query = query.where('organization_id', '>', p.after);
    if (p.before !== undefined) query = query.where('organization_id', '<', p.before);
    return query.orderBy('organization_id', descends(p) ? 'desc' : 'asc').limit(p.limit);
  });

const holders = {
  USERNAME: holding('users', 'name'),
  EMAIL: holding('users', 'email_key'),
  PHONE_NUMBER: holding('users', 'phone'),
  PUBLIC_KEY: holding('credentials', 'public_key'),
  WALLET_ACCOUNT_ADDRESS: holding('signers', 'address'),
};

export const organizationReads = (conn: Conn) => ({
  async get(id: string): Promise<Organization | undefined> {
    return get.first(conn, { id });
  },
  /** Ids of sub-organizations in the order of their creation; `after` and `before` are exclusive. */
  async subOrganizationIds(parentId: string, filter: SubOrganizationFilter | undefined, page: Page): Promise<string[]> {
    const { after, before, limit } = page;
    const below = { parent: parentId, after, before, limit };
    const rows =
      filter === undefined || filter.by === 'NAME'
        ? await named.all(conn, { ...below, names: filter?.values })
        : await holders[filter.by].all(conn, { ...below, values: filter.values });
    const ids = rows.map((row) => row.id);
    return descends(page) ? ids.reverse() : ids;
  },
});

export const organizationWrites = (conn: Conn) => ({
  /**
   * Returns the version, and locks it until this transaction ends, so that counts and free names stay valid.
   * SQLite has one writer anyway. On PostgreSQL, signatures do not wait, because they only read the version.
   */
  async hold(id: string): Promise<number | undefined> {
    return (await (conn.engine === 'sqlite' ? versionNow : heldVersion).first(conn, { id }))?.version;
  },
  async insert(organization: Organization): Promise<void> {
    await insert.run(conn, organization);
  },
  async change(id: string, changed: Partial<Pick<Organization, 'name' | 'rootQuorum' | 'features'>>, now: number): Promise<void> {
    const organization = await get.first(conn, { id });
    if (organization === undefined) throw new Error(`no organization ${id}`);
    await change.run(conn, { ...organization, ...changed, now });
  },
});

/**
 * Called last in the transaction that changed the organization's facts: decisions by older facts are made anew. `policyIds`: the
 * policies among them. On PostgreSQL the update locks the row until the commit, so versions become visible in their order, each with
 * its changes.
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
