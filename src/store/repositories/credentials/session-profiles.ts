import type { SessionProfile } from '../../../model/session-profile.ts';
import type { Page } from '../../page.ts';
import { pagesOf } from '../../pages.ts';
import { type Conn, statement } from '../../statement.ts';
import { values } from '../../table.ts';
import { sessionProfiles } from '../../tables/session-profiles.ts';
import type { Upkeep } from '../upkeep.ts';

const get = statement((db, p: { org: string; id: string }) =>
  db.selectFrom('session_profiles').select(sessionProfiles.all).where('organization_id', '=', p.org).where('id', '=', p.id),
);
const pages = pagesOf(sessionProfiles);
const insert = statement((db, p: SessionProfile) => db.insertInto('session_profiles').values(values(sessionProfiles, p)));

export const sessionProfileReads = (conn: Conn) => ({
  async get(org: string, id: string): Promise<SessionProfile | undefined> {
    return get.first(conn, { org, id });
  },
  /** In the order of creation. */
  async page(org: string, page: Page): Promise<SessionProfile[]> {
    return pages(conn, org, page);
  },
});

export const sessionProfileWrites = (conn: Conn, { counts }: Upkeep) => ({
  /** A profile never changes, and exists as long as its organization. */
  async insert(profile: SessionProfile): Promise<void> {
    await insert.run(conn, profile);
    counts.add(profile.organizationId, 'sessionProfileCount', 1);
  },
});
