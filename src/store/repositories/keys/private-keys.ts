import type { PrivateKey } from '../../../model/keys.ts';
import type { Page } from '../../page.ts';
import { pagesOf } from '../../pages.ts';
import { type Conn, statement } from '../../statement.ts';
import { values } from '../../table.ts';
import { privateKeys } from '../../tables/private-keys.ts';
import type { Upkeep } from '../upkeep.ts';

const get = statement((db, p: { org: string; id: string }) =>
  db.selectFrom('private_keys').select(privateKeys.all).where('organization_id', '=', p.org).where('id', '=', p.id),
);
const pages = pagesOf(privateKeys);
const insert = statement((db, p: PrivateKey) =>
  db
    .insertInto('private_keys')
    .values(values(privateKeys, p))
    .onConflict((c) => c.columns(['organization_id', 'name']).doNothing()),
);
const unexported = statement((db, p: { org: string }) =>
  db.selectFrom('private_keys').select('id').where('organization_id', '=', p.org).where('exported', '=', false).limit(1),
);
const setExported = statement((db, p: { org: string; id: string; now: number }) =>
  db
    .updateTable('private_keys')
    .set({ exported: true, updated_at: p.now })
    .where('organization_id', '=', p.org)
    .where('id', '=', p.id),
);
const remove = statement((db, p: { org: string; id: string }) =>
  db.deleteFrom('private_keys').where('organization_id', '=', p.org).where('id', '=', p.id),
);

export const privateKeyReads = (conn: Conn) => ({
  async get(org: string, id: string): Promise<PrivateKey | undefined> {
    return get.first(conn, { org, id });
  },
  /** One private key that was not exported. */
  async unexported(org: string): Promise<string | undefined> {
    return (await unexported.first(conn, { org }))?.id;
  },
  /** In the order of creation. */
  async page(org: string, page: Page): Promise<PrivateKey[]> {
    return pages(conn, org, page);
  },
});

export const privateKeyWrites = (conn: Conn, { counts }: Upkeep) => ({
  /** False if the organization has a private key of this name. */
  async insert(k: PrivateKey): Promise<boolean> {
    const inserted = await insert.run(conn, k);
    counts.add(k.organizationId, 'privateKeyCount', inserted);
    return inserted === 1;
  },
  async setExported(org: string, id: string, now: number): Promise<boolean> {
    return (await setExported.run(conn, { org, id, now })) === 1;
  },
  /** Removes the row only; `signers` owns the key's secrets and addresses. */
  async remove(org: string, id: string): Promise<boolean> {
    const removed = await remove.run(conn, { org, id });
    counts.add(org, 'privateKeyCount', -removed);
    return removed === 1;
  },
});
