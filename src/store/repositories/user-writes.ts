import type { User, UserVersion } from '../../model/user.ts';
import type { Schema } from '../schema.ts';
import { type Conn, statement } from '../statement.ts';
import { credentialReads } from './credentials.ts';
import { tagReads } from './tags.ts';
import { userReads } from './users.ts';

type Row = Schema['users'];

const insert = statement((db, p: Row) =>
  db.insertInto('users').values({
    organization_id: p.organization_id,
    id: p.id,
    parent_id: p.parent_id,
    name: p.name,
    email: p.email,
    email_key: p.email_key,
    phone: p.phone,
    version: p.version,
    created_at: p.created_at,
    updated_at: p.updated_at,
  }),
);
const touch = statement((db, p: { org: string; id: string; now: number }) =>
  db
    .updateTable('users')
    .set((e) => ({ version: e('version', '+', 1), updated_at: p.now }))
    .where('organization_id', '=', p.org)
    .where('id', '=', p.id),
);
const remove = statement((db, p: { org: string; id: string }) =>
  db.deleteFrom('users').where('organization_id', '=', p.org).where('id', '=', p.id),
);

const insertVersion = statement((db, p: Schema['user_versions']) =>
  db.insertInto('user_versions').values({
    organization_id: p.organization_id,
    user_id: p.user_id,
    version: p.version,
    content: p.content,
  }),
);

export function userWrites(conn: Conn) {
  const users = userReads(conn);
  const credentials = credentialReads(conn, users);
  const tags = tagReads(conn);

  async function keep(org: string, id: string): Promise<boolean> {
    const user = await users.get(org, id);
    if (user === undefined) return false;
    const then: UserVersion = { user, credentials: await credentials.listByUser(org, id), tags: await tags.ofMember(org, id) };
    const content = JSON.stringify(then);
    await insertVersion.run(conn, { organization_id: org, user_id: id, version: user.version, content });
    return true;
  }

  return {
    async insert(user: User): Promise<void> {
      await insert.run(conn, {
        organization_id: user.organizationId,
        id: user.id,
        parent_id: user.parentId,
        name: user.name,
        email: user.email,
        email_key: user.email?.toLowerCase() ?? null,
        phone: user.phone,
        version: user.version,
        created_at: user.createdAt,
        updated_at: user.updatedAt,
      });
    },
    /** Keeps the user as it is now and raises its version: call it before what is shown with the user changes. False if there is none. */
    async change(org: string, id: string, now: number): Promise<boolean> {
      return (await keep(org, id)) && (await touch.run(conn, { org, id, now })) === 1;
    },
    /** Keeps the user as it is now and removes the row: call it before the rest is removed. False if there is none. */
    async remove(org: string, id: string): Promise<boolean> {
      return (await keep(org, id)) && (await remove.run(conn, { org, id })) === 1;
    },
  };
}
