import type { TvcApp } from '../../../model/tvc/app.ts';
import type { Page } from '../../page.ts';
import { pagesOf } from '../../pages.ts';
import { type Conn, statement } from '../../statement.ts';
import { values } from '../../table.ts';
import { tvcApps } from '../../tables/tvc.ts';
import type { Upkeep } from '../upkeep.ts';

const get = statement((db, p: { org: string; id: string }) =>
  db.selectFrom('tvc_apps').select(tvcApps.all).where('organization_id', '=', p.org).where('id', '=', p.id),
);
const pages = pagesOf(tvcApps);
const insert = statement((db, p: TvcApp) => db.insertInto('tvc_apps').values(values(tvcApps, p)));
const replace = statement((db, p: TvcApp) =>
  db.updateTable('tvc_apps').set(values(tvcApps, p)).where('organization_id', '=', p.organizationId).where('id', '=', p.id),
);

export const tvcAppReads = (conn: Conn) => ({
  get: (org: string, id: string): Promise<TvcApp | undefined> => get.first(conn, { org, id }),
  /** In the order of creation, with deleted ones. */
  page: (org: string, page: Page): Promise<TvcApp[]> => pages(conn, org, page),
});

export const tvcAppWrites = (conn: Conn, { counts }: Upkeep) => ({
  async insert(app: TvcApp): Promise<void> {
    await insert.run(conn, app);
    counts.add(app.organizationId, 'tvcAppCount', 1);
  },
  /** Replaces the app with the same id. */
  async replace(app: TvcApp): Promise<void> {
    await replace.run(conn, app);
  },
});
