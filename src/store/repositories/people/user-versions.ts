import { type Conn, statement } from '../../statement.ts';
import { type ModelOf, values } from '../../table.ts';
import { userVersions as userVersionTable } from '../../tables/users.ts';
import { userStateReads } from './user-states.ts';
import type { UserVersions } from './user-versions-type.ts';

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

/** The versions of one transaction. */
export function userVersions(conn: Conn): UserVersions {
  const states = userStateReads(conn);
  const kept = new Set<string>();
  const nameOf = (org: string, id: string) => `${org}/${id}`;

  return {
    isNew: (org, id) => void kept.add(nameOf(org, id)),
    async before(org, id, now) {
      if (kept.has(nameOf(org, id))) return;
      kept.add(nameOf(org, id));
      const content = await states.get(org, id);
      if (content === undefined) return;
      await insertVersion.run(conn, { organizationId: org, userId: id, version: content.user.version, content });
      await touch.run(conn, { org, id, now });
    },
  };
}
