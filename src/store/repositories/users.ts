import type { User, UserVersion } from '../../model/user.ts';
import type { Page } from '../page.ts';
import { pagesOf } from '../pages.ts';
import { type Conn, statement } from '../statement.ts';
import { users } from '../tables/users.ts';

const get = statement((db, p: { org: string; id: string }) =>
  db.selectFrom('users').select(users.all).where('organization_id', '=', p.org).where('id', '=', p.id),
);
const pages = pagesOf(users);
const past = statement((db, p: { org: string; id: string; version: number }) =>
  db
    .selectFrom('user_versions')
    .select('content')
    .where('organization_id', '=', p.org)
    .where('user_id', '=', p.id)
    .where('version', '=', p.version),
);

export const userReads = (conn: Conn) => ({
  async get(org: string, id: string): Promise<User | undefined> {
    return get.first(conn, { org, id });
  },
  /** In the order of creation. */
  async page(org: string, page: Page): Promise<User[]> {
    return pages(conn, org, page);
  },
  /** An earlier version of a user; undefined for the newest version, and for versions that were not kept. */
  async past(org: string, id: string, version: number): Promise<UserVersion | undefined> {
    return (await past.first(conn, { org, id, version }))?.content;
  },
});
