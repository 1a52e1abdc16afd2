import type { StoredSecret } from '../../../model/secret.ts';
import { rowsByIds } from '../../by-ids.ts';
import type { Page } from '../../page.ts';
import { pagesOfNewest } from '../../pages.ts';
import { type Conn, statement } from '../../statement.ts';
import { values } from '../../table.ts';
import { storedSecrets } from '../../tables/secrets.ts';
import type { Upkeep } from '../upkeep.ts';

const byIds = rowsByIds(storedSecrets);
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
  async byIds(org: string, ids: readonly string[]): Promise<StoredSecret[]> {
    return byIds(conn, org, ids);
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
