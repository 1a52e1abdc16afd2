import type { WalletAccount } from '../../../model/keys.ts';
import type { Page } from '../../page.ts';
import { ascending, boundsOf } from '../../pages.ts';
import { inRange } from '../../ranges.ts';
import type { Builder } from '../../schema.ts';
import { type Conn, dynamic, statement } from '../../statement.ts';
import { values } from '../../table.ts';
import { walletAccounts } from '../../tables/wallets.ts';
import { yieldThread } from '../../yield-thread.ts';
import type { Counts } from '../limits/counts.ts';

type Of = { org: string; wallet: string };

/** Number of accounts removed per statement: some twenty milliseconds on SQLite. */
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

const accountPage = dynamic({ wallet: true, after: true, before: true }, (db, p: Accounts) =>
  inRange(db.selectFrom('wallet_accounts').select(walletAccounts.all).where('organization_id', '=', p.org), {
    fixed: p.wallet === undefined ? [] : [['wallet_id', p.wallet]],
    key: 'id',
    ...boundsOf(p),
  }),
);

export const accountReads = (conn: Conn) => ({
  /** Accounts of one wallet or of the whole organization, in the order of creation. */
  async accounts(org: string, wallet: string | undefined, page: Page): Promise<WalletAccount[]> {
    const { after, before, limit } = page;
    return ascending(await accountPage.all(conn, { org, wallet, after, before, limit }), page);
  },
  async account(org: string, id: string): Promise<WalletAccount | undefined> {
    return getAccount.first(conn, { org, id });
  },
  /** Searches one wallet. Returns the oldest account, if several formats share an address. */
  async accountByAddress(org: string, wallet: string, address: string): Promise<WalletAccount | undefined> {
    return oldest(await accountAt.all(conn, { org, wallet, address }));
  },
  async accountByPath(org: string, wallet: string, path: string): Promise<WalletAccount | undefined> {
    return oldest(await accountOnPath.all(conn, { org, wallet, path }));
  },
  async hasAccount(org: string, wallet: string, path: string, curve: string, format: string): Promise<boolean> {
    return (await accountByPath.first(conn, { org, wallet, path, curve, format })) !== undefined;
  },
});

export const accountWrites = (conn: Conn, counts: Counts) => ({
  /** False if the wallet already has this account, or the organization already has an account of this name. */
  async insertAccount(a: WalletAccount): Promise<boolean> {
    const inserted = await insertAccount.run(conn, a);
    counts.add(a.organizationId, 'walletAccountCount', inserted);
    return inserted === 1;
  },
  /** False if another account of the organization has the name, or if there is no account with this id. */
  async renameAccount(org: string, id: string, name: string, now: number): Promise<boolean> {
    const holder = await accountNameTaken.first(conn, { org, name });
    return (holder === undefined || holder.id === id) && (await renameAccount.run(conn, { org, id, name, now })) === 1;
  },
  async setAccountExported(org: string, id: string, now: number): Promise<boolean> {
    return (await setAccountExported.run(conn, { org, id, now })) === 1;
  },
  /** Removes the row only. */
  async removeAccount(org: string, wallet: string, id: string): Promise<void> {
    counts.add(org, 'walletAccountCount', -(await removeAccount.run(conn, { org, wallet, id })));
  },
  /** Removes all accounts of a wallet, with addresses and keys. Yields to other requests between batches. */
  async removeAccountsOf(org: string, wallet: string): Promise<void> {
    for (;;) {
      // The accounts are removed last, because they determine the next keys.
      await removeSigners.run(conn, { org, wallet });
      await removeSecrets.run(conn, { org, wallet });
      const removed = await removeAccounts.run(conn, { org, wallet });
      counts.add(org, 'walletAccountCount', -removed);
      // This also yields after the last batch, because many small wallets may be removed together.
      await yieldThread(conn);
      if (removed < AT_ONCE) return;
    }
  },
});
