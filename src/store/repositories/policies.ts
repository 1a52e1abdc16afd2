import { sql } from 'kysely';
import type { Policy } from '../../model/policy.ts';
import type { Schema } from '../schema.ts';
import { type Conn, statement } from '../statement.ts';

type Row = Schema['policies'];

const toPolicy = (row: Row): Policy => ({
  organizationId: row.organization_id,
  id: row.id,
  name: row.name,
  effect: row.effect as Policy['effect'],
  condition: row.condition,
  consensus: row.consensus,
  time: row.time,
  notes: row.notes,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

const toRow = (p: Policy): Row => ({
  organization_id: p.organizationId,
  id: p.id,
  name: p.name,
  effect: p.effect,
  condition: p.condition,
  consensus: p.consensus,
  time: p.time,
  notes: p.notes,
  created_at: p.createdAt,
  updated_at: p.updatedAt,
});

const get = statement((db, p: { org: string; id: string }) =>
  db.selectFrom('policies').selectAll().where('organization_id', '=', p.org).where('id', '=', p.id),
);
const list = statement((db, p: { org: string }) =>
  db.selectFrom('policies').selectAll().where('organization_id', '=', p.org).orderBy('id'),
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
const insert = statement((db, p: Row) =>
  db
    .insertInto('policies')
    .values({
      organization_id: p.organization_id,
      id: p.id,
      name: p.name,
      effect: p.effect,
      condition: p.condition,
      consensus: p.consensus,
      time: p.time,
      notes: p.notes,
      created_at: p.created_at,
      updated_at: p.updated_at,
    })
    .onConflict((c) => c.columns(['organization_id', 'name']).doNothing()),
);
const nameTaken = statement((db, p: { org: string; name: string; id: string }) =>
  db.selectFrom('policies').select('id').where('organization_id', '=', p.org).where('name', '=', p.name).where('id', '<>', p.id),
);
const update = statement((db, p: Row) =>
  db
    .updateTable('policies')
    .set({
      name: p.name,
      effect: p.effect,
      condition: p.condition,
      consensus: p.consensus,
      time: p.time,
      notes: p.notes,
      updated_at: p.updated_at,
    })
    .where('organization_id', '=', p.organization_id)
    .where('id', '=', p.id),
);
const remove = statement((db, p: { org: string; id: string }) =>
  db.deleteFrom('policies').where('organization_id', '=', p.org).where('id', '=', p.id),
);

export const policyReads = (conn: Conn) => ({
  async get(org: string, id: string): Promise<Policy | undefined> {
    const row = await get.first(conn, { org, id });
    return row && toPolicy(row);
  },
  /** In the order of creation. */
  async list(org: string): Promise<Policy[]> {
    return (await list.all(conn, { org })).map(toPolicy);
  },
  async count(org: string): Promise<number> {
    return Number((await count.first(conn, { org }))!.n);
  },
  /** Of all expressions together. */
  async characters(org: string): Promise<number> {
    return Number((await characters.first(conn, { org }))!.n);
  },
});

export const policyWrites = (conn: Conn) => ({
  /** False if the organization has a policy of this name. */
  async insert(policy: Policy): Promise<boolean> {
    return (await insert.run(conn, toRow(policy))) === 1;
  },
  /** False if another policy of the organization has the name. */
  async update(policy: Policy): Promise<boolean> {
    const other = await nameTaken.first(conn, { org: policy.organizationId, name: policy.name, id: policy.id });
    if (other !== undefined) return false;
    await update.run(conn, toRow(policy));
    return true;
  },
  /** False if there is no such policy. */
  async remove(org: string, id: string): Promise<boolean> {
    return (await remove.run(conn, { org, id })) === 1;
  },
});
