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
  exported: row.exported === 1,
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
      exported: p.exported,
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

const accountAt = statement((db, p: { org: string; wallet: string; address: string }) =>
  db
    .selectFrom('wallet_accounts')
    .selectAll()
    .where('organization_id', '=', p.org)
    .where('wallet_id', '=', p.wallet)
    .where('address', '=', p.address),
);
const accountOnPath = statement((db, p: { org: string; wallet: string; path: string }) =>
  db
    .selectFrom('wallet_accounts')
    .selectAll()
    .where('organization_id', '=', p.org)
    .where('wallet_id', '=', p.wallet)
    .where('path', '=', p.path),
);
const accountIds = statement((db, p: { org: string; wallet: string }) =>
  db.selectFrom('wallet_accounts').select('id').where('organization_id', '=', p.org).where('wallet_id', '=', p.wallet),
);
const nameTaken = statement((db, p: { org: string; name: string }) =>
  db.selectFrom('wallets').select('id').where('organization_id', '=', p.org).where('name', '=', p.name),
);
const rename = statement((db, p: { org: string; id: string; name: string; now: number }) =>
  db.updateTable('wallets').set({ name: p.name, updated_at: p.now }).where('organization_id', '=', p.org).where('id', '=', p.id),
);
const accountNameTaken = statement((db, p: { org: string; name: string }) =>
  db.selectFrom('wallet_accounts').select('id').where('organization_id', '=', p.org).where('name', '=', p.name),
);
const renameAccount = statement((db, p: { org: string; id: string; name: string; now: number }) =>
  db
    .updateTable('wallet_accounts')
    .set({ name: p.name, updated_at: p.now })
    .where('organization_id', '=', p.org)
    .where('id', '=', p.id),
);
const setExported = statement((db, p: { org: string; id: string; now: number }) =>
  db.updateTable('wallets').set({ exported: 1, updated_at: p.now }).where('organization_id', '=', p.org).where('id', '=', p.id),
);
const setAccountExported = statement((db, p: { org: string; id: string; now: number }) =>
  db
    .updateTable('wallet_accounts')
    .set({ exported: 1, updated_at: p.now })
    .where('organization_id', '=', p.org)
    .where('id', '=', p.id),
);
const remove = statement((db, p: { org: string; id: string }) =>
  db.deleteFrom('wallets').where('organization_id', '=', p.org).where('id', '=', p.id),
);
const removeAccount = statement((db, p: { org: string; id: string }) =>
  db.deleteFrom('wallet_accounts').where('organization_id', '=', p.org).where('id', '=', p.id),
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
  /** Of one wallet; the oldest, where several formats share an address. */
  async accountByAddress(org: string, wallet: string, address: string): Promise<WalletAccount | undefined> {
    const [row] = (await accountAt.all(conn, { org, wallet, address })).sort((a, b) => (a.id < b.id ? -1 : 1));
    return row && toAccount(row);
  },
  async accountByPath(org: string, wallet: string, path: string): Promise<WalletAccount | undefined> {
    const [row] = (await accountOnPath.all(conn, { org, wallet, path })).sort((a, b) => (a.id < b.id ? -1 : 1));
    return row && toAccount(row);
  },
  async accountIds(org: string, wallet: string): Promise<string[]> {
    return (await accountIds.all(conn, { org, wallet })).map(({ id }) => id);
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
      exported: flag(a.exported),
      created_at: a.createdAt,
      updated_at: a.updatedAt,
    });
    return changed === 1;
  },
  /** False if another wallet of the organization has the name, or there is none of this id. */
  async rename(org: string, id: string, name: string, now: number): Promise<boolean> {
    const holder = await nameTaken.first(conn, { org, name });
    return (holder === undefined || holder.id === id) && (await rename.run(conn, { org, id, name, now })) === 1;
  },
  /** False if another account of the organization has the name, or there is none of this id. */
  async renameAccount(org: string, id: string, name: string, now: number): Promise<boolean> {
    const holder = await accountNameTaken.first(conn, { org, name });
    return (holder === undefined || holder.id === id) && (await renameAccount.run(conn, { org, id, name, now })) === 1;
  },
  async setExported(org: string, id: string, now: number): Promise<boolean> {
    return (await setExported.run(conn, { org, id, now })) === 1;
  },
  async setAccountExported(org: string, id: string, now: number): Promise<boolean> {
    return (await setAccountExported.run(conn, { org, id, now })) === 1;
  },
  /** The row alone: accounts, secrets and addresses are removed by those who know them. */
  async remove(org: string, id: string): Promise<boolean> {
    return (await remove.run(conn, { org, id })) === 1;
  },
  async removeAccount(org: string, id: string): Promise<boolean> {
    return (await removeAccount.run(conn, { org, id })) === 1;
  },
});
