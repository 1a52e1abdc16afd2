import { sql } from 'kysely';
import type { ContractInterface } from '../../model/contract-interface.ts';
import type { Schema } from '../schema.ts';
import { type Conn, statement } from '../statement.ts';

type Row = Schema['contract_interfaces'];

const toInterface = (row: Row): ContractInterface => ({
  organizationId: row.organization_id,
  id: row.id,
  address: row.address,
  type: row.type,
  label: row.label,
  notes: row.notes,
  interface: row.interface,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

const get = statement((db, p: { org: string; id: string }) =>
  db.selectFrom('contract_interfaces').selectAll().where('organization_id', '=', p.org).where('id', '=', p.id),
);
const list = statement((db, p: { org: string }) =>
  db.selectFrom('contract_interfaces').selectAll().where('organization_id', '=', p.org).orderBy('id'),
);
const at = statement((db, p: { org: string; type: string; address: string }) =>
  db
    .selectFrom('contract_interfaces')
    .select('id')
    .where('organization_id', '=', p.org)
    .where('address', '=', p.address)
    .where('type', '=', p.type),
);
const characters = statement((db, p: { org: string }) =>
  db
    .selectFrom('contract_interfaces')
    .select(sql<number>`COALESCE(SUM(LENGTH(interface)), 0)`.as('n'))
    .where('organization_id', '=', p.org),
);
const insert = statement((db, p: Row) =>
  db
    .insertInto('contract_interfaces')
    .values({
      organization_id: p.organization_id,
      id: p.id,
      address: p.address,
      type: p.type,
      label: p.label,
      notes: p.notes,
      interface: p.interface,
      created_at: p.created_at,
      updated_at: p.updated_at,
    })
    .onConflict((c) => c.columns(['organization_id', 'label']).doNothing()),
);
const remove = statement((db, p: { org: string; id: string }) =>
  db.deleteFrom('contract_interfaces').where('organization_id', '=', p.org).where('id', '=', p.id),
);

export const contractInterfaceReads = (conn: Conn) => ({
  async get(org: string, id: string): Promise<ContractInterface | undefined> {
    const row = await get.first(conn, { org, id });
    return row && toInterface(row);
  },
  async list(org: string): Promise<ContractInterface[]> {
    return (await list.all(conn, { org })).map(toInterface);
  },
  /** Of all interfaces together. */
  async characters(org: string): Promise<number> {
    return Number((await characters.first(conn, { org }))!.n);
  },
  /** The id of the oldest interface for an address: who may add one cannot change what policies read by another. */
  async at(org: string, type: string, address: string): Promise<string | undefined> {
    const ids = (await at.all(conn, { org, type, address })).map(({ id }) => id);
    return ids.sort()[0];
  },
});

export const contractInterfaceWrites = (conn: Conn) => ({
  /** False if the organization has one with this label. */
  async insert(c: ContractInterface): Promise<boolean> {
    const changed = await insert.run(conn, {
      organization_id: c.organizationId,
      id: c.id,
      address: c.address,
      type: c.type,
      label: c.label,
      notes: c.notes,
      interface: c.interface,
      created_at: c.createdAt,
      updated_at: c.updatedAt,
    });
    return changed === 1;
  },
  async remove(org: string, id: string): Promise<boolean> {
    return (await remove.run(conn, { org, id })) === 1;
  },
});
