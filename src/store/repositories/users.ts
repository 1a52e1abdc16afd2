import type { User, UserVersion } from '../../model/user.ts';
import type { Schema } from '../schema.ts';
import { type Conn, statement } from '../statement.ts';

type Row = Schema['users'];

export const toUser = (row: Omit<Row, 'email_key'>): User => ({
  organizationId: row.organization_id,
  id: row.id,
  parentId: row.parent_id,
  name: row.name,
  email: row.email,
  phone: row.phone,
  version: row.version,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

const get = statement((db, p: { org: string; id: string }) =>
  db.selectFrom('users').selectAll().where('organization_id', '=', p.org).where('id', '=', p.id),
);
const list = statement((db, p: { org: string }) =>
  db.selectFrom('users').selectAll().where('organization_id', '=', p.org).orderBy('id'),
);
const count = statement((db, p: { org: string }) =>
  db
    .selectFrom('users')
    .select((e) => e.fn.countAll<number>().as('n'))
    .where('organization_id', '=', p.org),
);
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
    const row = await get.first(conn, { org, id });
    return row && toUser(row);
  },
  async list(org: string): Promise<User[]> {
    return (await list.all(conn, { org })).map(toUser);
  },
  /** A user as they were before a change; undefined for the newest version, and for what was not kept. */
  async past(org: string, id: string, version: number): Promise<UserVersion | undefined> {
    const row = await past.first(conn, { org, id, version });
    return row && (JSON.parse(row.content) as UserVersion);
  },
  async count(org: string): Promise<number> {
    return Number((await count.first(conn, { org }))!.n);
  },
});
