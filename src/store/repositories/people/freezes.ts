import type { Freeze } from '../../../model/freeze.ts';
import type { Page } from '../../page.ts';
import { pagesOf } from '../../pages.ts';
import { type Conn, statement } from '../../statement.ts';
import { values } from '../../table.ts';
import { freezes } from '../../tables/freezes.ts';
import type { Upkeep } from '../upkeep.ts';

const get = statement((db, p: { org: string; id: string }) =>
  db.selectFrom('freezes').select(freezes.all).where('organization_id', '=', p.org).where('id', '=', p.id),
);
const ofKeys = statement((db, p: { org: string }) =>
  db
    .selectFrom('freezes')
    .select(freezes.all)
    .where('organization_id', '=', p.org)
    .where('target', '<>', 'user')
    .orderBy('id')
    .limit(1),
);
const pages = pagesOf(freezes);
const insert = statement((db, p: Freeze) => db.insertInto('freezes').values(values(freezes, p)));
export const removeFreeze = statement((db, p: { org: string; id: string }) =>
  db.deleteFrom('freezes').where('organization_id', '=', p.org).where('id', '=', p.id),
);

export const freezesReads = (conn: Conn) => ({
  get: (org: string, id: string): Promise<Freeze | undefined> => get.first(conn, { org, id }),
  /** One of the organization, or of one of its wallets or private keys. */
  ofKeys: (org: string): Promise<Freeze | undefined> => ofKeys.first(conn, { org }),
  page: (org: string, page: Page): Promise<Freeze[]> => pages(conn, org, page),
});

export const freezesWrites = (conn: Conn, { counts }: Upkeep) => ({
  async insert(row: Freeze): Promise<void> {
    await insert.run(conn, row);
    counts.add(row.organizationId, 'freezeCount', 1);
  },
  /** False if it does not exist. */
  async remove(org: string, id: string): Promise<boolean> {
    if ((await removeFreeze.run(conn, { org, id })) !== 1) return false;
    counts.add(org, 'freezeCount', -1);
    return true;
  },
});
