import type { Wallet } from '../../model/keys.ts';
import type { Flag, Schema } from '../schema.ts';
import { type Conn, statement } from '../statement.ts';
import { accountReads, accountWrites } from './wallet-accounts.ts';

type Row = Schema['wallets'];

const toWallet = (row: Row): Wallet => ({
  organizationId: row.organization_id,
  id: row.id,
  name: row.name,
  exported: row.exported === 1,
  imported: row.imported === 1,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

const get = statement((db, p: { org: string; id: string }) =>
  db.selectFrom('wallets').selectAll().where('organization_id', '=', p.org).where('id', '=', p.id),
);
const list = statement((db, p: { org: string }) =>
  db.selectFrom('wallets').selectAll().where('organization_id', '=', p.org).orderBy('id'),
);
const count = statement((db, p: { org: string }) =>
  db
    .selectFrom('wallets')
    .select((e) => e.fn.countAll<number>().as('n'))
    .where('organization_id', '=', p.org),
);
const insert = statement((db, p: Row) =>
  db
    .insertInto('wallets')
    .values({
      organization_id: p.organization_id,
      id: p.id,
      name: p.name,
      exported: p.exported,
      imported: p.imported,
      accounts: p.accounts,
      created_at: p.created_at,
      updated_at: p.updated_at,
    })
    .onConflict((c) => c.columns(['organization_id', 'name']).doNothing()),
);
const nameTaken = statement((db, p: { org: string; name: string }) =>
  db.selectFrom('wallets').select('id').where('organization_id', '=', p.org).where('name', '=', p.name),
);
const rename = statement((db, p: { org: string; id: string; name: string; now: number }) =>
  db.updateTable('wallets').set({ name: p.name, updated_at: p.now }).where('organization_id', '=', p.org).where('id', '=', p.id),
);
const setExported = statement((db, p: { org: string; id: string; now: number }) =>
  db.updateTable('wallets').set({ exported: 1, updated_at: p.now }).where('organization_id', '=', p.org).where('id', '=', p.id),
);
const remove = statement((db, p: { org: string; id: string }) =>
  db.deleteFrom('wallets').where('organization_id', '=', p.org).where('id', '=', p.id),
);
const flag = (value: boolean): Flag => (value ? 1 : 0);

export const walletReads = (conn: Conn) => ({
  ...accountReads(conn),
  async get(org: string, id: string): Promise<Wallet | undefined> {
    const row = await get.first(conn, { org, id });
    return row && toWallet(row);
  },
  async list(org: string): Promise<Wallet[]> {
    return (await list.all(conn, { org })).map(toWallet);
  },
  async count(org: string): Promise<number> {
    return Number((await count.first(conn, { org }))!.n);
  },
});

export const walletWrites = (conn: Conn) => ({
  ...accountWrites(conn),
  /** False if the organization has a wallet of this name. */
  async insert(w: Wallet): Promise<boolean> {
    const changed = await insert.run(conn, {
      organization_id: w.organizationId,
      id: w.id,
      name: w.name,
      exported: flag(w.exported),
      imported: flag(w.imported),
      accounts: 0,
      created_at: w.createdAt,
      updated_at: w.updatedAt,
    });
    return changed === 1;
  },
  /** False if another wallet of the organization has the name, or there is none of this id. */
  async rename(org: string, id: string, name: string, now: number): Promise<boolean> {
    const holder = await nameTaken.first(conn, { org, name });
    return (holder === undefined || holder.id === id) && (await rename.run(conn, { org, id, name, now })) === 1;
  },
  async setExported(org: string, id: string, now: number): Promise<boolean> {
    return (await setExported.run(conn, { org, id, now })) === 1;
  },
  /** The row alone: accounts, secrets and addresses are removed by those who know them. */
  async remove(org: string, id: string): Promise<boolean> {
    return (await remove.run(conn, { org, id })) === 1;
  },
});
