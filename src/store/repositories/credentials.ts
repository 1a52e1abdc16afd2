import type { Credential, User } from '../../model/user.ts';
import type { Schema } from '../schema.ts';
import { type Conn, statement } from '../statement.ts';
import type { UserVersions } from './user-versions-type.ts';
import { toUser, userReads } from './users.ts';

type Row = Schema['credentials'];

export const toCredential = (row: Row): Credential => ({
  organizationId: row.organization_id,
  id: row.id,
  parentId: row.parent_id,
  userId: row.user_id,
  type: row.type,
  name: row.name,
  publicKey: row.public_key,
  expiresAt: row.expires_at,
  expirationSeconds: row.expiration_seconds,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

const byPublicKey = statement((db, p: { org: string; key: string }) =>
  db.selectFrom('credentials').selectAll().where('organization_id', '=', p.org).where('public_key', '=', p.key),
);
const holderAtOnce = statement((db, p: { org: string; key: string }) =>
  db
    .selectFrom('credentials as c')
    .innerJoin('users as u', (j) => j.onRef('u.organization_id', '=', 'c.organization_id').onRef('u.id', '=', 'c.user_id'))
    .selectAll('c')
    .select([
      'u.name as u_name',
      'u.email as u_email',
      'u.phone as u_phone',
      'u.version as u_version',
      'u.created_at as u_created_at',
      'u.updated_at as u_updated_at',
    ])
    .where('c.organization_id', '=', p.org)
    .where('c.public_key', '=', p.key),
);
const below = statement((db, p: { parent: string; key: string; most: number }) =>
  db.selectFrom('credentials').selectAll().where('parent_id', '=', p.parent).where('public_key', '=', p.key).limit(p.most),
);
const get = statement((db, p: { org: string; id: string }) =>
  db.selectFrom('credentials').selectAll().where('organization_id', '=', p.org).where('id', '=', p.id),
);
const list = statement((db, p: { org: string }) =>
  db.selectFrom('credentials').selectAll().where('organization_id', '=', p.org).orderBy('user_id').orderBy('id'),
);
const listByUser = statement((db, p: { org: string; user: string }) =>
  db.selectFrom('credentials').selectAll().where('organization_id', '=', p.org).where('user_id', '=', p.user).orderBy('id'),
);
const insert = statement((db, p: Row) =>
  db
    .insertInto('credentials')
    .values({
      organization_id: p.organization_id,
      id: p.id,
      parent_id: p.parent_id,
      user_id: p.user_id,
      type: p.type,
      name: p.name,
      public_key: p.public_key,
      expires_at: p.expires_at,
      expiration_seconds: p.expiration_seconds,
      created_at: p.created_at,
      updated_at: p.updated_at,
    })
    .onConflict((c) => c.columns(['organization_id', 'public_key']).doNothing()),
);
const remove = statement((db, p: { org: string; id: string }) =>
  db.deleteFrom('credentials').where('organization_id', '=', p.org).where('id', '=', p.id),
);

export type Holder = { credential: Credential; user: User };

export const credentialReads = (conn: Conn, users = userReads(conn)) => ({
  /** The credential with this public key in this very organization, and its user. */
  async holder(org: string, publicKey: string): Promise<Holder | undefined> {
    if (conn.engine === 'sqlite') {
      // Two look-ups: a join costs better-sqlite3 four times as much as both. Over a network it is the other way round.
      const row = await byPublicKey.first(conn, { org, key: publicKey });
      const user = row && (await users.get(org, row.user_id));
      return row && user && { credential: toCredential(row), user };
    }
    const row = await holderAtOnce.first(conn, { org, key: publicKey });
    if (row === undefined) return undefined;
    const { u_name, u_email, u_phone, u_version, u_created_at, u_updated_at } = row;
    const user = {
      ...row,
      id: row.user_id,
      name: u_name,
      email: u_email,
      phone: u_phone,
      version: u_version,
      created_at: u_created_at,
      updated_at: u_updated_at,
    };
    return { credential: toCredential(row), user: toUser(user) };
  },
  /** Registrations of this public key in the sub-organizations of `parent`, expired ones too. */
  async inSubOrganizations(parent: string, publicKey: string, most: number): Promise<Credential[]> {
    return (await below.all(conn, { parent, key: publicKey, most })).map(toCredential);
  },
  async get(org: string, id: string): Promise<Credential | undefined> {
    const row = await get.first(conn, { org, id });
    return row && toCredential(row);
  },
  async list(org: string): Promise<Credential[]> {
    return (await list.all(conn, { org })).map(toCredential);
  },
  async listByUser(org: string, user: string): Promise<Credential[]> {
    return (await listByUser.all(conn, { org, user })).map(toCredential);
  },
});

export const credentialWrites = (conn: Conn, versions: UserVersions) => ({
  /** False if the organization has this public key already. */
  async insert(c: Credential): Promise<boolean> {
    await versions.before(c.organizationId, c.userId, c.createdAt);
    const changed = await insert.run(conn, {
      organization_id: c.organizationId,
      id: c.id,
      parent_id: c.parentId,
      user_id: c.userId,
      type: c.type,
      name: c.name,
      public_key: c.publicKey,
      expires_at: c.expiresAt,
      expiration_seconds: c.expirationSeconds,
      created_at: c.createdAt,
      updated_at: c.updatedAt,
    });
    return changed === 1;
  },
  async remove(org: string, id: string, now: number): Promise<boolean> {
    const user = (await get.first(conn, { org, id }))?.user_id;
    if (user !== undefined) await versions.before(org, user, now);
    return (await remove.run(conn, { org, id })) === 1;
  },
});
