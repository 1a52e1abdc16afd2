import { attestedCredentials } from '../../../model/attested.ts';
import type { User } from '../../../model/user.ts';
import { type Conn, statement } from '../../statement.ts';
import { values } from '../../table.ts';
import { users } from '../../tables/users.ts';
import { endSessionsOfCredential, removeReadOnlySessions } from '../credentials/read-only-sessions.ts';
import type { Upkeep } from '../upkeep.ts';
import { removeFreeze } from './freezes.ts';
import { userReads } from './users.ts';

const insert = statement((db, p: User) => db.insertInto('users').values(values(users, p)));
const update = statement((db, p: User) => {
  const { organization_id, id, parent_id, mfa_policy_count, version, created_at, updated_at, ...visible } = values(users, p);
  return db.updateTable('users').set(visible).where('organization_id', '=', p.organizationId).where('id', '=', p.id);
});
const remove = statement((db, p: { org: string; id: string }) =>
  db.deleteFrom('users').where('organization_id', '=', p.org).where('id', '=', p.id),
);
const removeCredentials = statement((db, p: { org: string; user: string }) =>
  db.deleteFrom('credentials').where('organization_id', '=', p.org).where('user_id', '=', p.user),
);
const removeAuthenticators = statement((db, p: { org: string; user: string }) =>
  db.deleteFrom('authenticators').where('organization_id', '=', p.org).where('user_id', '=', p.user),
);
const removeOauthProviders = statement((db, p: { org: string; user: string }) =>
  db.deleteFrom('oauth_providers').where('organization_id', '=', p.org).where('user_id', '=', p.user),
);
const removeMfaPolicies = statement((db, p: { org: string; user: string }) =>
  db.deleteFrom('mfa_policies').where('organization_id', '=', p.org).where('user_id', '=', p.user),
);
const removeTags = statement((db, p: { org: string; user: string }) =>
  db.deleteFrom('tag_members').where('organization_id', '=', p.org).where('member_id', '=', p.user),
);
const removeImports = statement((db, p: { org: string; user: string }) =>
  db.deleteFrom('import_targets').where('organization_id', '=', p.org).where('user_id', '=', p.user),
);

/** Does the same as `invitations.settle`, for the invitation that created this user. */
const revokeInvitation = statement((db, p: { org: string; user: string; now: number }) =>
  db
    .updateTable('invitations')
    .set({ status: 'INVITATION_STATUS_REVOKED', secret: null, updated_at: p.now })
    .where('organization_id', '=', p.org)
    .where('user_id', '=', p.user)
    .where('status', '=', 'INVITATION_STATUS_CREATED'),
);

/** The ids of contacts that no longer count as credentials of the user. */
function contactsGone(before: User, after: User): string[] {
  const left = attestedCredentials({ user: after }, '').map(({ id }) => id);
  return attestedCredentials({ user: before }, '').flatMap(({ id }) => (left.includes(id) ? [] : [id]));
}

export function userWrites(conn: Conn, { versions, counts }: Upkeep) {
  const read = userReads(conn);
  return {
    async insert(user: User): Promise<void> {
      versions.isNew(user.organizationId, user.id);
      await insert.run(conn, user);
      counts.add(user.organizationId, 'userCount', 1);
    },
    /** False if there is no such user. */
    async update(
      org: string,
      id: string,
      changed: Partial<Pick<User, 'name' | 'email' | 'phone' | 'accessType' | 'emailVerified' | 'phoneVerified' | 'frozen'>>,
      now: number,
    ): Promise<boolean> {
      const user = await read.get(org, id);
      if (user === undefined) return false;
      await versions.before(org, id, now);
      for (const gone of contactsGone(user, { ...user, ...changed })) await endSessionsOfCredential(conn, org, id, gone);
      await update.run(conn, { ...user, ...changed });
      return true;
    },
    /** Removes the user with credentials, sessions, tags and pending imports, and revokes an open invitation. False if there is no such user. */
    async remove(org: string, id: string, now: number): Promise<boolean> {
      await versions.before(org, id, now);
      if ((await remove.run(conn, { org, id })) === 0) return false;
      counts.add(org, 'userCount', -1);
      const left = [
        removeCredentials,
        removeAuthenticators,
        removeOauthProviders,
        removeMfaPolicies,
        removeReadOnlySessions,
        removeTags,
        removeImports,
      ];
      for (const removal of left) await removal.run(conn, { org, user: id });
      if ((await removeFreeze.run(conn, { org, id })) === 1) counts.add(org, 'freezeCount', -1);
      counts.add(org, 'invitationCount', -(await revokeInvitation.run(conn, { org, user: id, now })));
      return true;
    },
  };
}
