import type { UserVersion } from '../../model/user.ts';
import type { Schema } from '../schema.ts';
import { type Conn, statement } from '../statement.ts';
import { credentialReads } from './credentials.ts';
import { tagReads } from './tags.ts';
import type { UserVersions } from './user-versions-type.ts';
import { userReads } from './users.ts';

const insertVersion = statement((db, p: Schema['user_versions']) =>
  db.insertInto('user_versions').values({
    organization_id: p.organization_id,
    user_id: p.user_id,
    version: p.version,
    content: p.content,
  }),
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
      const then: UserVersion = { user, credentials: await credentials.listByUser(org, id), tags: await tags.ofMember(org, id) };
      const content = JSON.stringify(then);
      await insertVersion.run(conn, { organization_id: org, user_id: id, version: user.version, content });
      await touch.run(conn, { org, id, now });
    },
  };
}
