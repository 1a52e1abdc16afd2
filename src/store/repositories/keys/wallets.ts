import type { Wallet } from '../../../model/keys.ts';
import { rowsByIds } from '../../by-ids.ts';
import type { Page } from '../../page.ts';
import { pagesOf } from '../../pages.ts';
import { type Conn, statement } from '../../statement.ts';
import { values } from '../../table.ts';
import { wallets } from '../../tables/wallets.ts';
import type { Upkeep } from '../upkeep.ts';
import { accountReads, accountWrites } from './wallet-accounts.ts';

const get = statement((db, p: { org: string; id: string }) =>
  db.selectFrom('wallets').select(wallets.all).where('organization_id', '=', p.org).where('id', '=', p.id),
);
const pages = pagesOf(wallets);
const insert = statement((db, p: Wallet) =>
  db
    .insertInto('wallets')
    .values(values(wallets, p))
    .onConflict((c) => c.columns(['organization_id', 'name']).doNothing()),
);
const nameTaken = statement((db, p: { org: string; name: string }) =>
  db.selectFrom('wallets').select('id').where('organization_id', '=', p.org).where('name', '=', p.name),
);
const rename = statement((db, p: { org: string; id: string; name: string; now: number }) =>
  db.updateTable('wallets').set({ name: p.name, updated_at: p.now }).where('organization_id', '=', p.org).where('id', '=', p.id),
);
const setExported = statement((db, p: { org: string; id: string; now: number }) =>
  db
    .updateTable('wallets')
    .set({ exported: true, updated_at: p.now })
    .where('organization_id', '=', p.org)
    .where('id', '=', p.id),
);
const remove = statement((db, p: { org: string; id: string }) =>
  db.deleteFrom('wallets').where('organization_id', '=', p.org).where('id', '=', p.id),
);
const unexported = statement((db, p: { org: string }) =>
  db.selectFrom('wallets').select('id').where('organization_id', '=', p.org).where('exported', '=', false).limit(1),
);
const byIds = rowsByIds(wallets);

export const walletReads = (conn: Conn) => ({
  ...accountReads(conn),
  async get(org: string, id: string): Promise<Wallet | undefined> {
    return get.first(conn, { org, id });
  },
  /** In the order of creation. */
  async page(org: string, page: Page): Promise<Wallet[]> {
    return pages(conn, org, page);
  },
  /** One wallet that was not exported. */
  async unexported(org: string): Promise<string | undefined> {
    return (await unexported.first(conn, { org }))?.id;
  },
  /** The wallets with these ids, in no order. Unknown ids are left out. */
  async byIds(org: string, ids: readonly string[]): Promise<Wallet[]> {
    return byIds(conn, org, ids);
  },
});

export const walletWrites = (conn: Conn, { counts }: Upkeep) => ({
  ...accountWrites(conn, counts),
  /** False if the organization has a wallet of this name. */
  async insert(w: Wallet): Promise<boolean> {
    const inserted = await insert.run(conn, w);
    counts.add(w.organizationId, 'walletCount', inserted);
    return inserted === 1;
  },
  /** False if another wallet of the organization has the name, or if there is no wallet with this id. */
  async rename(org: string, id: string, name: string, now: number): Promise<boolean> {
    const holder = await nameTaken.first(conn, { org, name });
    return (holder === undefined || holder.id === id) && (await rename.run(conn, { org, id, name, now })) === 1;
  },
  async setExported(org: string, id: string, now: number): Promise<boolean> {
    return (await setExported.run(conn, { org, id, now })) === 1;
  },
  /** Removes the row only; other repositories remove accounts, secrets and addresses. */
  async remove(org: string, id: string): Promise<boolean> {
    const removed = await remove.run(conn, { org, id });
    counts.add(org, 'walletCount', -removed);
    return removed === 1;
  },
});
