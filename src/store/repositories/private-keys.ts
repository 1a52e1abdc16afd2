import type { PrivateKey } from '../../model/keys.ts';
import type { Schema } from '../schema.ts';
import { type Conn, statement } from '../statement.ts';

type Row = Schema['private_keys'];

const toPrivateKey = (row: Row): PrivateKey => ({
  organizationId: row.organization_id,
  id: row.id,
  name: row.name,
  curve: row.curve,
  publicKey: row.public_key,
  exported: row.exported === 1,
  imported: row.imported === 1,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

const get = statement((db, p: { org: string; id: string }) =>
  db.selectFrom('private_keys').selectAll().where('organization_id', '=', p.org).where('id', '=', p.id),
);
const list = statement((db, p: { org: string }) =>
  db.selectFrom('private_keys').selectAll().where('organization_id', '=', p.org).orderBy('id'),
);
const count = statement((db, p: { org: string }) =>
  db
    .selectFrom('private_keys')
    .select((e) => e.fn.countAll<number>().as('n'))
    .where('organization_id', '=', p.org),
);
const insert = statement((db, p: Row) =>
  db
    .insertInto('private_keys')
    .values({
      organization_id: p.organization_id,
      id: p.id,
      name: p.name,
      curve: p.curve,
      public_key: p.public_key,
      exported: p.exported,
      imported: p.imported,
      created_at: p.created_at,
      updated_at: p.updated_at,
    })
    .onConflict((c) => c.columns(['organization_id', 'name']).doNothing()),
);

const setExported = statement((db, p: { org: string; id: string; now: number }) =>
  db
    .updateTable('private_keys')
    .set({ exported: 1, updated_at: p.now })
    .where('organization_id', '=', p.org)
    .where('id', '=', p.id),
);
const remove = statement((db, p: { org: string; id: string }) =>
  db.deleteFrom('private_keys').where('organization_id', '=', p.org).where('id', '=', p.id),
);

export const privateKeyReads = (conn: Conn) => ({
  async get(org: string, id: string): Promise<PrivateKey | undefined> {
    const row = await get.first(conn, { org, id });
    return row && toPrivateKey(row);
  },
  async list(org: string): Promise<PrivateKey[]> {
    return (await list.all(conn, { org })).map(toPrivateKey);
  },
  async count(org: string): Promise<number> {
    return Number((await count.first(conn, { org }))!.n);
  },
});

export const privateKeyWrites = (conn: Conn) => ({
  /** False if the organization has a private key of this name. */
  async insert(k: PrivateKey): Promise<boolean> {
    const changed = await insert.run(conn, {
      organization_id: k.organizationId,
      id: k.id,
      name: k.name,
      curve: k.curve,
      public_key: k.publicKey,
      exported: k.exported ? 1 : 0,
      imported: k.imported ? 1 : 0,
      created_at: k.createdAt,
      updated_at: k.updatedAt,
    });
    return changed === 1;
  },
  async setExported(org: string, id: string, now: number): Promise<boolean> {
    return (await setExported.run(conn, { org, id, now })) === 1;
  },
  /** The row alone; its secrets and addresses are the signers'. */
  async remove(org: string, id: string): Promise<boolean> {
    return (await remove.run(conn, { org, id })) === 1;
  },
});
