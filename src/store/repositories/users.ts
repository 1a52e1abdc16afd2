import type { User } from '../../model/user.ts';
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

export const userReads = (conn: Conn) => ({
  async get(org: string, id: string): Promise<User | undefined> {
    const row = await get.first(conn, { org, id });
    return row && toUser(row);
  },
  async list(org: string): Promise<User[]> {
    return (await list.all(conn, { org })).map(toUser);
  },
  async count(org: string): Promise<number> {
    return Number((await count.first(conn, { org }))!.n);
  },
});

export const userWrites = (conn: Conn) => ({
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
  /** Says that something shown with the user changed. False if the user does not exist. */
  async touch(org: string, id: string, now: number): Promise<boolean> {
    return (await touch.run(conn, { org, id, now })) === 1;
  },
  /** The row alone. False if the user does not exist. */
  async remove(org: string, id: string): Promise<boolean> {
    return (await remove.run(conn, { org, id })) === 1;
  },
});
