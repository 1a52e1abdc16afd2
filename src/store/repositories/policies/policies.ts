import { characters } from '../../../base/characters.ts';
import type { Policy } from '../../../model/policy.ts';
import { rowsByIds } from '../../by-ids.ts';
import type { Page } from '../../page.ts';
import { pagesOf } from '../../pages.ts';
import { type Conn, statement } from '../../statement.ts';
import { values } from '../../table.ts';
import { policies } from '../../tables/policies.ts';
import type { Upkeep } from '../upkeep.ts';

const get = statement((db, p: { org: string; id: string }) =>
  db.selectFrom('policies').select(policies.all).where('organization_id', '=', p.org).where('id', '=', p.id),
);
const byIds = rowsByIds(policies);
const pages = pagesOf(policies);
const insert = statement((db, p: Policy) =>
  db
    .insertInto('policies')
    .values(values(policies, p))
    .onConflict((c) => c.columns(['organization_id', 'name']).doNothing()),
);
const nameTaken = statement((db, p: { org: string; name: string; id: string }) =>
  db.selectFrom('policies').select('id').where('organization_id', '=', p.org).where('name', '=', p.name).where('id', '<>', p.id),
);
const update = statement((db, p: Policy) => {
  const { organization_id, id, created_at: _, ...changed } = values(policies, p);
  return db.updateTable('policies').set(changed).where('organization_id', '=', organization_id).where('id', '=', id);
});
const remove = statement((db, p: { org: string; id: string }) =>
  db.deleteFrom('policies').where('organization_id', '=', p.org).where('id', '=', p.id),
);

export const policyReads = (conn: Conn) => ({
  async get(org: string, id: string): Promise<Policy | undefined> {
    return get.first(conn, { org, id });
  },
  /** The policies with these ids, in no order. Unknown ids are left out. */
  async byIds(org: string, ids: readonly string[]): Promise<Policy[]> {
    return byIds(conn, org, ids);
  },
  /** In the order of creation. */
  async page(org: string, page: Page): Promise<Policy[]> {
    return pages(conn, org, page);
  },
});

const lengthOf = ({ condition, consensus, time }: Policy): number => characters(condition + consensus + time);

export const policyWrites = (conn: Conn, { counts }: Upkeep) => ({
  /** False if the organization has a policy of this name. */
  async insert(policy: Policy): Promise<boolean> {
    if ((await insert.run(conn, policy)) === 0) return false;
    counts.add(policy.organizationId, 'policyCount', 1);
    counts.add(policy.organizationId, 'policyCharacters', lengthOf(policy));
    return true;
  },
  /** False if another policy of the organization has the name. */
  async update(policy: Policy): Promise<boolean> {
    const { organizationId: org, id, name } = policy;
    if ((await nameTaken.first(conn, { org, name, id })) !== undefined) return false;
    const before = await get.first(conn, { org, id });
    if (before !== undefined) counts.add(org, 'policyCharacters', lengthOf(policy) - lengthOf(before));
    await update.run(conn, policy);
    return true;
  },
  /** False if there is no such policy. */
  async remove(org: string, id: string): Promise<boolean> {
    const policy = await get.first(conn, { org, id });
    if (policy === undefined) return false;
    counts.add(org, 'policyCount', -(await remove.run(conn, { org, id })));
    counts.add(org, 'policyCharacters', -lengthOf(policy));
    return true;
  },
});
