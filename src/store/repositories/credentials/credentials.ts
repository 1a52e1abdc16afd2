import type { IpAllowlist } from '../../../model/ip-allowlist.ts';
import { apiKeyTypes, type Credential, type ExpiringKey, isApiKeyType, type User } from '../../../model/user.ts';
import { sought } from '../../columns.ts';
import type { Page } from '../../page.ts';
import { pagesOf } from '../../pages.ts';
import { type Conn, dynamic, statement, written } from '../../statement.ts';
import { type ModelOf, readerOf, selection, values } from '../../table.ts';
import { credentials, endedSessions } from '../../tables/credentials.ts';
import { users } from '../../tables/users.ts';
import { ofExisting } from '../people/organizations.ts';
import { userReads } from '../people/users.ts';
import type { Upkeep } from '../upkeep.ts';
import { rowsByKey } from './by-key.ts';
import { endSessionsOfCredential } from './read-only-sessions.ts';

/**
 * The LIMIT preserves the look-up of the user as written. Where most organizations have few users, PostgreSQL would join by the
 * organization alone. It would then read and drop all other users of a large organization.
 */
const POSTGRES_HOLDER = `
SELECT ${selection('c', credentials)}, ${selection('u', users)}
FROM credentials c
CROSS JOIN LATERAL (SELECT * FROM users WHERE organization_id = c.organization_id AND id = c.user_id LIMIT 1) u
WHERE c.organization_id = $1 AND c.public_key = $2`;

const { organizationId, publicKey } = credentials.model;
const holderAtOnce = written<object>('postgres')(POSTGRES_HOLDER, sought(organizationId), sought(publicKey));
const credentialIn = readerOf('postgres', 'c', credentials);
const userIn = readerOf('postgres', 'u', users);

const pages = pagesOf(credentials);
/** PostgreSQL looks up a public key together with its user. */
const rows = rowsByKey(credentials, 'public_key', 'sqlite');
const byUser = dynamic({ user: true }, (db, p: { org: string; user: string | undefined; id: string; limit: number }) => {
  let query = db.selectFrom('credentials').select(credentials.all).where('organization_id', '=', p.org);
  if (p.user !== undefined) query = query.where((e) => e(e.refTuple('user_id', 'id'), '>', e.tuple(p.user!, p.id)));
  return query.orderBy('user_id').orderBy('id').limit(p.limit);
});
const lastByUser = statement((db, p: { org: string }) =>
  db
    .selectFrom('credentials')
    .select(credentials.all)
    .where('organization_id', '=', p.org)
    .orderBy('user_id', 'desc')
    .orderBy('id', 'desc')
    .limit(1),
);
const expiring = statement((db, p: { org: string; user: string }) =>
  db
    .selectFrom('credentials')
    .select(['id', 'type', 'public_key as publicKey', 'expires_at as expiresAt', 'session_profile_id as sessionProfileId'])
    .where('organization_id', '=', p.org)
    .where('user_id', '=', p.user)
    .where('expires_at', 'is not', null)
    .orderBy('id'),
);

const end = statement((db, p: ModelOf<typeof endedSessions>) => db.insertInto('ended_sessions').values(values(endedSessions, p)));
const ended = statement((db, p: { org: string; id: string }) =>
  db.selectFrom('ended_sessions').select('content').where('organization_id', '=', p.org).where('id', '=', p.id),
);

/** One statement removes a session and returns its row. */
const endSession = statement((db, p: { org: string; id: string }) =>
  db
    .deleteFrom('credentials')
    .where('organization_id', '=', p.org)
    .where('id', '=', p.id)
    .where('type', 'not in', apiKeyTypes)
    .returning(credentials.all),
);
const setIpAllowlist = statement((db, p: { org: string; id: string; list: IpAllowlist | null }) =>
  db.updateTable('credentials').set({ ip_allowlist: p.list }).where('organization_id', '=', p.org).where('id', '=', p.id),
);
/** The place of a credential in an organization's list, which is ordered by user. */
export type CredentialPlace = Pick<Credential, 'userId' | 'id'>;

export type Holder = { credential: Credential; user: User };

export const credentialReads = (conn: Conn, holders = userReads(conn)) => ({
  /** The credential with this public key in this organization, and its user. */
  async holder(org: string, publicKey: string): Promise<Holder | undefined> {
    if (conn.engine === 'sqlite') {
      // Two look-ups: with better-sqlite3 a join takes four times as long. Over a network the join is faster.
      const credential = await rows.byKey(conn, org, publicKey);
      const user = credential && (await holders.get(org, credential.userId));
      return credential && user && { credential, user };
    }
    const [row] = await holderAtOnce.all(conn, [org, publicKey]);
    return row && { credential: credentialIn(row), user: userIn(row) };
  },
  /** Registrations of this public key in the sub-organizations of `parent`, including expired ones. */
  async inSubOrganizations(parent: string, publicKey: string, most: number): Promise<Credential[]> {
    return ofExisting(conn, await rows.below(conn, parent, publicKey, most), most);
  },
  async get(org: string, id: string): Promise<Credential | undefined> {
    return rows.get(conn, org, id);
  },
  /** The keys of a user that have an expiry, in the order of creation. */
  async expiring(org: string, user: string): Promise<ExpiringKey[]> {
    return expiring.all(conn, { org, user });
  },
  /** The key of an ended session. */
  async ended(org: string, id: string): Promise<Credential | undefined> {
    return (await ended.first(conn, { org, id }))?.content;
  },
  /** In the order of creation. */
  async page(org: string, page: Page): Promise<Credential[]> {
    return pages(conn, org, page);
  },
  ...rows.lists(conn),
  /** Ordered by user, beginning behind the given place. */
  async byUser(org: string, after: CredentialPlace | undefined, limit: number): Promise<Credential[]> {
    return byUser.all(conn, { org, user: after?.userId, id: after?.id ?? '', limit });
  },
  /** The last credential in the order by user. */
  async lastByUser(org: string): Promise<Credential | undefined> {
    return lastByUser.first(conn, { org });
  },
});

export const credentialWrites = (conn: Conn, { versions }: Upkeep) => ({
  /** False if the organization already has this public key. The key of a session does not create a new version of its user. */
  async insert(c: Credential): Promise<boolean> {
    if (isApiKeyType(c.type)) await versions.before(c.organizationId, c.userId, c.createdAt);
    return rows.insert(conn, c);
  },
  async remove(org: string, id: string, now: number): Promise<boolean> {
    const session = await endSession.first(conn, { org, id });
    if (session !== undefined) {
      await endSessionsOfCredential(conn, org, session.userId, id);
      await end.run(conn, { organizationId: org, id, content: session });
      return true;
    }
    const key = await rows.get(conn, org, id);
    if (key === undefined) return false;
    await versions.before(org, key.userId, now);
    return rows.remove(conn, org, key.userId, id);
  },
  async setIpAllowlist(org: string, id: string, list: IpAllowlist | null): Promise<void> {
    await setIpAllowlist.run(conn, { org, id, list });
  },
});
