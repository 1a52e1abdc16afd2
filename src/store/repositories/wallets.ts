import type { Wallet, WalletAccount } from '../../model/keys.ts';
import type { Page } from '../page.ts';
import type { Flag, Schema } from '../schema.ts';
import { type Conn, dynamic, statement } from '../statement.ts';

type Row = Schema['wallets'];
type AccountRow = Schema['wallet_accounts'];

const toWallet = (row: Row): Wallet => ({
  organizationId: row.organization_id,
  id: row.id,
  name: row.name,
  exported: row.exported === 1,
  imported: row.imported === 1,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

const toAccount = (row: AccountRow): WalletAccount => ({
  organizationId: row.organization_id,
  id: row.id,
  walletId: row.wallet_id,
  curve: row.curve,
  path: row.path,
  addressFormat: row.address_format,
  address: row.address,
  publicKey: row.public_key,
  name: row.name,
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
      created_at: p.created_at,
      updated_at: p.updated_at,
    })
    .onConflict((c) => c.columns(['organization_id', 'name']).doNothing()),
);
const insertAccount = statement((db, p: AccountRow) =>
  db
    .insertInto('wallet_accounts')
    .values({
      organization_id: p.organization_id,
      id: p.id,
      wallet_id: p.wallet_id,
      curve: p.curve,
      path: p.path,
      address_format: p.address_format,
      address: p.address,
      public_key: p.public_key,
      name: p.name,
      created_at: p.created_at,
      updated_at: p.updated_at,
    })
    .onConflict((c) => c.doNothing()),
);
const getAccount = statement((db, p: { org: string; id: string }) =>
  db.selectFrom('wallet_accounts').selectAll().where('organization_id', '=', p.org).where('id', '=', p.id),
);
const accountByPath = statement((db, p: { org: string; wallet: string; path: string; curve: string; format: string }) =>
  db
    .selectFrom('wallet_accounts')
    .select('id')
    .where('organization_id', '=', p.org)
    .where('wallet_id', '=', p.wallet)
    .where('path', '=', p.path)
    .where('curve', '=', p.curve)
    .where('address_format', '=', p.format),
);

const flag = (value: boolean): Flag => (value ? 1 : 0);

export const walletReads = (conn: Conn) => ({
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
  /** In the order of creation, of one wallet or of the whole organization. */
  async accounts(org: string, wallet: string | undefined, page: Page): Promise<WalletAccount[]> {
    const descending = page.before !== undefined && page.after === undefined;
    const rows = await dynamic<AccountRow>(conn, (db) => {
      let query = db.selectFrom('wallet_accounts').selectAll().where('organization_id', '=', org);
      if (wallet !== undefined) query = query.where('wallet_id', '=', wallet);
      if (page.after !== undefined) query = query.where('id', '>', page.after);
      if (page.before !== undefined) query = query.where('id', '<', page.before);
      return query.orderBy('id', descending ? 'desc' : 'asc').limit(page.limit);
    });
    const accounts = rows.map(toAccount);
    return descending ? accounts.reverse() : accounts;
  },
  async account(org: string, id: string): Promise<WalletAccount | undefined> {
    const row = await getAccount.first(conn, { org, id });
    return row && toAccount(row);
  },
  async hasAccount(org: string, wallet: string, path: string, curve: string, format: string): Promise<boolean> {
    return (await accountByPath.first(conn, { org, wallet, path, curve, format })) !== undefined;
  },
});

export const walletWrites = (conn: Conn) => ({
  /** False if the organization has a wallet of this name. */
  async insert(w: Wallet): Promise<boolean> {
    const changed = await insert.run(conn, {
      organization_id: w.organizationId,
      id: w.id,
      name: w.name,
      exported: flag(w.exported),
      imported: flag(w.imported),
      created_at: w.createdAt,
      updated_at: w.updatedAt,
    });
    return changed === 1;
  },
  /** False if the wallet has this account, or the organization has an account of this name. */
  async insertAccount(a: WalletAccount): Promise<boolean> {
    const changed = await insertAccount.run(conn, {
      organization_id: a.organizationId,
      id: a.id,
      wallet_id: a.walletId,
      curve: a.curve,
      path: a.path,
      address_format: a.addressFormat,
      address: a.address,
      public_key: a.publicKey,
      name: a.name,
      created_at: a.createdAt,
      updated_at: a.updatedAt,
    });
    return changed === 1;
  },
});
