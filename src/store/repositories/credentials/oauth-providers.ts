import { identityDigest, type OauthProvider, type OidcIdentity } from '../../../model/oauth-provider.ts';
import { readsOfUsers } from '../../of-users.ts';
import type { Page } from '../../page.ts';
import { pagesOf } from '../../pages.ts';
import { type Conn, statement } from '../../statement.ts';
import { values } from '../../table.ts';
import { oauthProviders } from '../../tables/oauth-providers.ts';
import type { UserVersions } from '../people/user-versions-type.ts';
import { endSessionsOfCredential } from './read-only-sessions.ts';

const get = statement((db, p: { org: string; id: string }) =>
  db.selectFrom('oauth_providers').select(oauthProviders.all).where('organization_id', '=', p.org).where('id', '=', p.id),
);
const byIdentity = statement((db, p: { org: string; identity: string }) =>
  db
    .selectFrom('oauth_providers')
    .select(oauthProviders.all)
    .where('organization_id', '=', p.org)
    .where('identity', '=', p.identity),
);
const below = statement((db, p: { parent: string; identity: string; most: number }) =>
  db
    .selectFrom('oauth_providers')
    .select(oauthProviders.all)
    .where('parent_id', '=', p.parent)
    .where('identity', '=', p.identity)
    .limit(p.most),
);
const pages = pagesOf(oauthProviders);
const lists = readsOfUsers(oauthProviders);
const insert = statement((db, p: OauthProvider) =>
  db
    .insertInto('oauth_providers')
    .values(values(oauthProviders, p))
    .onConflict((c) => c.columns(['organization_id', 'identity']).doNothing()),
);
const remove = statement((db, p: { org: string; id: string }) =>
  db.deleteFrom('oauth_providers').where('organization_id', '=', p.org).where('id', '=', p.id),
);

export const oauthProviderReads = (conn: Conn) => ({
  async get(org: string, id: string): Promise<OauthProvider | undefined> {
    return get.first(conn, { org, id });
  },
  async byIdentity(org: string, identity: OidcIdentity): Promise<OauthProvider | undefined> {
    return byIdentity.first(conn, { org, identity: identityDigest(identity) });
  },
  /** Registrations of this identity in the sub-organizations of `parent`. */
  async inSubOrganizations(parent: string, identity: OidcIdentity, most: number): Promise<OauthProvider[]> {
    return below.all(conn, { parent, identity: identityDigest(identity), most });
  },
  /** In the order of creation. */
  async page(org: string, page: Page): Promise<OauthProvider[]> {
    return pages(conn, org, page);
  },
  ...lists(conn),
});

export const oauthProviderWrites = (conn: Conn, versions: UserVersions) => ({
  /** False if a user of the organization already has this identity. */
  async insert(p: OauthProvider): Promise<boolean> {
    await versions.before(p.organizationId, p.userId, p.createdAt);
    return (await insert.run(conn, p)) === 1;
  },
  async remove(org: string, id: string, now: number): Promise<boolean> {
    const user = (await get.first(conn, { org, id }))?.userId;
    if (user === undefined) return false;
    await versions.before(org, user, now);
    await endSessionsOfCredential(conn, org, user, id);
    return (await remove.run(conn, { org, id })) === 1;
  },
});
