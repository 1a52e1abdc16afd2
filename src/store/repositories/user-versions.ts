import type { UserVersion } from '../../model/user.ts';
import { type Conn, statement } from '../statement.ts';
import { type ModelOf, values } from '../table.ts';
import { userVersions as userVersionTable } from '../tables/users.ts';
import { credentialReads } from './credentials.ts';
import { tagReads } from './tags.ts';
import type { UserVersions } from './user-versions-type.ts';
import { userReads } from './users.ts';

const insertVersion = statement((db, p: ModelOf<typeof userVersionTable>) =>
  db.insertInto('user_versions').values(values(userVersionTable, p)),
);
const touch = statement((db, p: { org: string; id: string; now: number }) =>
  db
    .updateTable('users')
    .set((e) => ({ version: e('version', '+', 1), updated_at: p.now }))
    .where('organization_id', '=', p.org)
    .where('id', '=', p.id),
);

/** For one transaction. */
export function userVersions(conn: Conn): UserVersions {
  const users = userReads(conn);
  const credentials = credentialReads(conn, users);
  const tags = tagReads(conn);
  const kept = new Set<string>();
  const nameOf = (org: string, id: string) => `${org}/${id}`;

  return {
    isNew: (org, id) => void kept.add(nameOf(org, id)),
    async before(org, id, now) {
      if (kept.has(nameOf(org, id))) return;
      kept.add(nameOf(org, id));
      const user = await users.get(org, id);
      if (user === undefined) return;
      const content: UserVersion = {
        user,
        credentials: await credentials.listByUser(org, id),
        tags: await tags.ofMember(org, id),
      };
      await insertVersion.run(conn, { organizationId: org, userId: id, version: user.version, content });
      await touch.run(conn, { org, id, now });
    },
  };
}
