import { sql } from 'kysely';
import type { WalletAccount } from '../../model/keys.ts';
import { breathe } from '../breathe.ts';
import type { Page } from '../page.ts';
import type { Builder } from '../schema.ts';
import { type Conn, dynamic, statement } from '../statement.ts';
import { values } from '../table.ts';
import { walletAccounts } from '../tables/wallets.ts';

type Of = { org: string; wallet: string };

/** Accounts removed per statement: some twenty milliseconds on SQLite. */
const AT_ONCE = 1000;

const insertAccount = statement((db, p: WalletAccount) =>
  db
    .insertInto('wallet_accounts')
    .values(values(walletAccounts, p))
    .onConflict((c) => c.doNothing()),
);
const getAccount = statement((db, p: { org: string; id: string }) =>
  db.selectFrom('wallet_accounts').select(walletAccounts.all).where('organization_id', '=', p.org).where('id', '=', p.id),
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
    .select(walletAccounts.all)
    .where('organization_id', '=', p.org)
    .where('wallet_id', '=', p.wallet)
    .where('address', '=', p.address),
);
const accountOnPath = statement((db, p: { org: string; wallet: string; path: string }) =>
  db
    .selectFrom('wallet_accounts')
    .select(walletAccounts.all)
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
    .set({ exported: true, updated_at: p.now })
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

const oldest = (accounts: WalletAccount[]): WalletAccount | undefined => accounts.sort((a, b) => (a.id < b.id ? -1 : 1))[0];

type Accounts = {
  org: string;
  wallet: string | undefined;
  after: string | undefined;
  before: string | undefined;
  limit: number;
};

const descends = ({ after, before }: Omit<Page, 'limit'>): boolean => before !== undefined && after === undefined;

const accountPage = dynamic({ wallet: true, after: true, before: true }, (db, p: Accounts) => {
  let query = db.selectFrom('wallet_accounts').select(walletAccounts.all).where('organization_id', '=', p.org);
  if (p.wallet !== undefined) query = query.where('wallet_id', '=', p.wallet);
  if (p.after !== undefined) query = query.where('id', '>', p.after);
  if (p.before !== undefined) query = query.where('id', '<', p.before);
  return query.orderBy('id', descends(p) ? 'desc' : 'asc').limit(p.limit);
});

export const accountReads = (conn: Conn) => ({
  /** Accounts of one wallet or of the whole organization, in the order of creation. */
  async accounts(org: string, wallet: string | undefined, page: Page): Promise<WalletAccount[]> {
    const { after, before, limit } = page;
    const accounts = await accountPage.all(conn, { org, wallet, after, before, limit });
    return descends(page) ? accounts.reverse() : accounts;
  },
  async account(org: string, id: string): Promise<WalletAccount | undefined> {
    return getAccount.first(conn, { org, id });
  },
  /** Searches one wallet. The oldest account, if several formats share an address. */
  async accountByAddress(org: string, wallet: string, address: string): Promise<WalletAccount | undefined> {
    return oldest(await accountAt.all(conn, { org, wallet, address }));
  },
  async accountByPath(org: string, wallet: string, path: string): Promise<WalletAccount | undefined> {
    return oldest(await accountOnPath.all(conn, { org, wallet, path }));
  },
  async hasAccount(org: string, wallet: string, path: string, curve: string, format: string): Promise<boolean> {
    return (await accountByPath.first(conn, { org, wallet, path, curve, format })) !== undefined;
  },
  /** Reads stored counts, so that no accounts are scanned. */
  async countAccounts(org: string): Promise<number> {
    return Number((await countAccounts.first(conn, { org }))!.n);
  },
});

export const accountWrites = (conn: Conn) => ({
  /** False if the wallet already has this account, or the organization an account of this name. */
  async insertAccount(a: WalletAccount): Promise<boolean> {
    return (await insertAccount.run(conn, a)) === 1;
  },
  /** False if another account of the organization has the name, or there is none of this id. */
  async renameAccount(org: string, id: string, name: string, now: number): Promise<boolean> {
    const holder = await accountNameTaken.first(conn, { org, name });
    return (holder === undefined || holder.id === id) && (await renameAccount.run(conn, { org, id, name, now })) === 1;
  },
  async setAccountExported(org: string, id: string, now: number): Promise<boolean> {
    return (await setAccountExported.run(conn, { org, id, now })) === 1;
  },
  /** Must be called for all inserted accounts, once per batch. */
  async countMore(org: string, wallet: string, more: number): Promise<void> {
    await addToCount.run(conn, { org, wallet, more });
  },
  /** Removes the row only, and lowers the count. */
  async removeAccount(org: string, wallet: string, id: string): Promise<void> {
    const removed = await removeAccount.run(conn, { org, wallet, id });
    await addToCount.run(conn, { org, wallet, more: -removed });
  },
  /** Removes all accounts of a wallet, with addresses and keys. Yields to other requests in between. */
  async removeAccountsOf(org: string, wallet: string): Promise<void> {
    for (;;) {
      // Accounts last: they determine which keys are next.
      await removeSigners.run(conn, { org, wallet });
      await removeSecrets.run(conn, { org, wallet });
      const removed = await removeAccounts.run(conn, { org, wallet });
      // Also after the last batch, because many small wallets may be removed together.
      await breathe(conn);
      if (removed < AT_ONCE) return;
    }
  },
});
