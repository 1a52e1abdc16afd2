import type { Authenticator, User } from '../../../model/user.ts';
import { readsOfUsers } from '../../of-users.ts';
import { type Conn, statement } from '../../statement.ts';
import { values } from '../../table.ts';
import { authenticators } from '../../tables/authenticators.ts';
import { ofExisting } from '../people/organizations.ts';
import type { UserVersions } from '../people/user-versions-type.ts';
import { userReads } from '../people/users.ts';
import { endSessionsOfCredential } from './read-only-sessions.ts';

const get = statement((db, p: { org: string; id: string }) =>
  db.selectFrom('authenticators').select(authenticators.all).where('organization_id', '=', p.org).where('id', '=', p.id),
);
const byCredentialId = statement((db, p: { org: string; credentialId: string }) =>
  db
    .selectFrom('authenticators')
    .select(authenticators.all)
    .where('organization_id', '=', p.org)
    .where('credential_id', '=', p.credentialId),
);
const below = statement((db, p: { parent: string; credentialId: string; most: number }) =>
  db
    .selectFrom('authenticators')
    .select(authenticators.all)
    .where('parent_id', '=', p.parent)
    .where('credential_id', '=', p.credentialId)
    .limit(p.most),
);
const lists = readsOfUsers(authenticators);
const insert = statement((db, p: Authenticator) =>
  db
    .insertInto('authenticators')
    .values(values(authenticators, p))
    .onConflict((c) => c.columns(['organization_id', 'credential_id']).doNothing()),
);
const remove = statement((db, p: { org: string; id: string }) =>
  db.deleteFrom('authenticators').where('organization_id', '=', p.org).where('id', '=', p.id),
);

export type PasskeyHolder = { authenticator: Authenticator; user: User };

export const authenticatorReads = (conn: Conn, users = userReads(conn)) => ({
  async get(org: string, id: string): Promise<Authenticator | undefined> {
    return get.first(conn, { org, id });
  },
  /** The passkey with this credential id in this organization, and its user. */
  async holder(org: string, credentialId: string): Promise<PasskeyHolder | undefined> {
    const authenticator = await byCredentialId.first(conn, { org, credentialId });
    const user = authenticator && (await users.get(org, authenticator.userId));
    return authenticator && user && { authenticator, user };
  },
  /** Registrations of this credential id in the sub-organizations of `parent`. */
  async inSubOrganizations(parent: string, credentialId: string, most: number): Promise<Authenticator[]> {
    return ofExisting(conn, await below.all(conn, { parent, credentialId, most }), most);
  },
  ...lists(conn),
});

export const authenticatorWrites = (conn: Conn, versions: UserVersions) => ({
  /** False if the organization already has this credential id. */
  async insert(a: Authenticator): Promise<boolean> {
    await versions.before(a.organizationId, a.userId, a.createdAt);
    return (await insert.run(conn, a)) === 1;
  },
  async remove(org: string, id: string, now: number): Promise<boolean> {
    const user = (await get.first(conn, { org, id }))?.userId;
    if (user === undefined) return false;
    await versions.before(org, user, now);
    await endSessionsOfCredential(conn, org, user, id);
    return (await remove.run(conn, { org, id })) === 1;
  },
});
