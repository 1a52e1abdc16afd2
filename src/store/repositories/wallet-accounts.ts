import { sql } from 'kysely';
import type { WalletAccount } from '../../model/keys.ts';
import { breathe } from '../breathe.ts';
import type { Page } from '../page.ts';
import type { Builder, Schema } from '../schema.ts';
import { type Conn, dynamic, statement } from '../statement.ts';

type Row = Schema['wallet_accounts'];

type Of = { org: string; wallet: string };

/** Accounts that go with one statement: on SQLite some twenty milliseconds. */
const AT_ONCE = 1000;

const toAccount = (row: Row): WalletAccount => ({
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

const insertAccount = statement((db, p: Row) =>
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
const setAccountExported = statement((db, p: { org: string; id: string; now: number }) =>
  db
    .updateTable('wallet_accounts')
    .set({ exported: 1, updated_at: p.now })
    .where('organization_id', '=', p.org)
    .where('id', '=', p.id),
);
const removeAccount = statement((db, p: Of & { id: string }) =>
  db.deleteFrom('wallet_accounts').where('organization_id', '=', p.org).where('id', '=', p.id).where('wallet_id', '=', p.wallet),
);

const countAccounts = statement((db, p: { org: string }) =>
  db.selectFrom('wallets').select(sql<number>`COALESCE(SUM(accounts), 0)`.as('n')).where('organization_id', '=', p.org),
);
const addToCount = statement((db, p: Of & { more: number }) =>
  db
    .updateTable('wallets')
    .set((e) => ({ accounts: e('accounts', '+', p.more) }))
    .where('organization_id', '=', p.org)
    .where('id', '=', p.wallet),
);

const next = (db: Builder, p: Of) =>
  db
    .selectFrom('wallet_accounts')
    .select('id')
    .where('organization_id', '=', p.org)
    .where('wallet_id', '=', p.wallet)
    .orderBy('id')
    .limit(AT_ONCE);

const removeSigners = statement((db, p: Of) =>
  db.deleteFrom('signers').where('organization_id', '=', p.org).where('key_id', 'in', next(db, p)),
);
const removeSecrets = statement((db, p: Of) =>
  db.deleteFrom('secrets').where('organization_id', '=', p.org).where('id', 'in', next(db, p)),
);
const removeAccounts = statement((db, p: Of) =>
  db.deleteFrom('wallet_accounts').where('organization_id', '=', p.org).where('id', 'in', next(db, p)),
);

export const accountReads = (conn: Conn) => ({
  /** In the order of creation, of one wallet or of the whole organization. */
  async accounts(org: string, wallet: string | undefined, page: Page): Promise<WalletAccount[]> {
    const descending = page.before !== undefined && page.after === undefined;
    const rows = await dynamic<Row>(conn, (db) => {
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
  async hasAccount(org: string, wallet: string, path: string, curve: string, format: string): Promise<boolean> {
    return (await accountByPath.first(conn, { org, wallet, path, curve, format })) !== undefined;
  },
  /** How many accounts the organization has, without going over them. */
  async countAccounts(org: string): Promise<number> {
    return Number((await countAccounts.first(conn, { org }))!.n);
  },
});

export const accountWrites = (conn: Conn) => ({
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
      exported: a.exported ? 1 : 0,
      created_at: a.createdAt,
      updated_at: a.updatedAt,
    });
    return changed === 1;
  },
  /** False if another account of the organization has the name, or there is none of this id. */
  async renameAccount(org: string, id: string, name: string, now: number): Promise<boolean> {
    const holder = await accountNameTaken.first(conn, { org, name });
    return (holder === undefined || holder.id === id) && (await renameAccount.run(conn, { org, id, name, now })) === 1;
  },
  async setAccountExported(org: string, id: string, now: number): Promise<boolean> {
    return (await setAccountExported.run(conn, { org, id, now })) === 1;
  },
  /** Has to be told of every account that was inserted: whoever makes many says so once. */
  async countMore(org: string, wallet: string, more: number): Promise<void> {
    await addToCount.run(conn, { org, wallet, more });
  },
  /** The row alone, and that there is one less. */
  async removeAccount(org: string, wallet: string, id: string): Promise<void> {
    const removed = await removeAccount.run(conn, { org, wallet, id });
    await addToCount.run(conn, { org, wallet, more: -removed });
  },
  /** All of a wallet that goes too, with their addresses and keys. Others are served in between. */
  async removeAccountsOf(org: string, wallet: string): Promise<void> {
    for (;;) {
      // The accounts last: they tell which keys are next.
      await removeSigners.run(conn, { org, wallet });
      await removeSecrets.run(conn, { org, wallet });
      const removed = await removeAccounts.run(conn, { org, wallet });
      // After the last ones too: many small wallets may go together.
      await breathe(conn);
      if (removed < AT_ONCE) return;
    }
  },
});
