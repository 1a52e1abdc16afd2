import { sql } from 'kysely';
import type { Policy } from '../../model/policy.ts';
import { type Conn, statement } from '../statement.ts';
import { values } from '../table.ts';
import { policies } from '../tables/policies.ts';

const get = statement((db, p: { org: string; id: string }) =>
  db.selectFrom('policies').select(policies.all).where('organization_id', '=', p.org).where('id', '=', p.id),
);
const list = statement((db, p: { org: string }) =>
  db.selectFrom('policies').select(policies.all).where('organization_id', '=', p.org).orderBy('id'),
);
const count = statement((db, p: { org: string }) =>
  db
    .selectFrom('policies')
    .select((e) => e.fn.countAll<number>().as('n'))
    .where('organization_id', '=', p.org),
);
const characters = statement((db, p: { org: string }) =>
  db
    .selectFrom('policies')
    .select(sql<number>`COALESCE(SUM(LENGTH(condition) + LENGTH(consensus) + LENGTH(time)), 0)`.as('n'))
    .where('organization_id', '=', p.org),
);
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
  /** In the order of creation. */
  async list(org: string): Promise<Policy[]> {
    return list.all(conn, { org });
  },
  async count(org: string): Promise<number> {
    return Number((await count.first(conn, { org }))!.n);
  },
  /** Total length of all expressions. */
  async characters(org: string): Promise<number> {
    return Number((await characters.first(conn, { org }))!.n);
  },
});

export const policyWrites = (conn: Conn) => ({
  /** False if the organization has a policy of this name. */
  async insert(policy: Policy): Promise<boolean> {
    return (await insert.run(conn, policy)) === 1;
  },
  /** False if another policy of the organization has the name. */
  async update(policy: Policy): Promise<boolean> {
    const other = await nameTaken.first(conn, { org: policy.organizationId, name: policy.name, id: policy.id });
    if (other !== undefined) return false;
    await update.run(conn, policy);
    return true;
  },
  /** False if there is no such policy. */
  async remove(org: string, id: string): Promise<boolean> {
    return (await remove.run(conn, { org, id })) === 1;
  },
});
