import type { StoredSecret } from '../../../model/secret.ts';
import { inLists } from '../../lists.ts';
import type { Page } from '../../page.ts';
import { pagesOfNewest } from '../../pages.ts';
import { type Conn, dynamic, statement } from '../../statement.ts';
import { values } from '../../table.ts';
import { storedSecrets } from '../../tables/secrets.ts';
import type { Upkeep } from '../upkeep.ts';

const several = dynamic({}, (db, p: { org: string; ids: readonly string[] }) =>
  db.selectFrom('stored_secrets').select(storedSecrets.all).where('organization_id', '=', p.org).where('id', 'in', p.ids),
);
const pages = pagesOfNewest(storedSecrets);
const insert = statement((db, p: StoredSecret) =>
  db
    .insertInto('stored_secrets')
    .values(values(storedSecrets, p))
    .onConflict((c) => c.columns(['organization_id', 'name']).doNothing()),
);
const remove = statement((db, p: { org: string; id: string }) =>
  db.deleteFrom('stored_secrets').where('organization_id', '=', p.org).where('id', '=', p.id),
);

export const storedSecretReads = (conn: Conn) => ({
  /** The secrets with these ids, in no order. Unknown ids are left out. */
  async several(org: string, ids: readonly string[]): Promise<StoredSecret[]> {
    return inLists(ids, (some) => several.all(conn, { org, ids: some }));
  },
  /** The newest first. */
  page: (org: string, page: Page): Promise<StoredSecret[]> => pages(conn, org, page),
});

export const storedSecretWrites = (conn: Conn, { counts }: Upkeep) => ({
  /** False if another secret of the organization has the name. */
  async insert(secret: StoredSecret): Promise<boolean> {
    if ((await insert.run(conn, secret)) === 0) return false;
    counts.add(secret.organizationId, 'secretCount', 1);
    return true;
  },
  /** False if there is no such secret. */
  async remove(org: string, id: string): Promise<boolean> {
    if ((await remove.run(conn, { org, id })) === 0) return false;
    counts.add(org, 'secretCount', -1);
    return true;
  },
});
