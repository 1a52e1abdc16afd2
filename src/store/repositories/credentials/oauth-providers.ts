import { identityDigest, type OauthProvider, type OidcIdentity } from '../../../model/oauth-provider.ts';
import type { Page } from '../../page.ts';
import { pagesOf } from '../../pages.ts';
import type { Conn } from '../../statement.ts';
import { oauthProviders } from '../../tables/oauth-providers.ts';
import type { Upkeep } from '../upkeep.ts';
import { rowsByKey, writesByKey } from './by-key.ts';

const pages = pagesOf(oauthProviders);
const rows = rowsByKey(oauthProviders, 'identity');

export const oauthProviderReads = (conn: Conn) => ({
  async get(org: string, id: string): Promise<OauthProvider | undefined> {
    return rows.get(conn, org, id);
  },
  async byIdentity(org: string, identity: OidcIdentity): Promise<OauthProvider | undefined> {
    return rows.byKey(conn, org, identityDigest(identity));
  },
  /** Registrations of this identity in the sub-organizations of `parent`. */
  async inSubOrganizations(parent: string, identity: OidcIdentity, most: number): Promise<OauthProvider[]> {
    return rows.below(conn, parent, identityDigest(identity), most);
  },
  /** In the order of creation. */
  async page(org: string, page: Page): Promise<OauthProvider[]> {
    return pages(conn, org, page);
  },
  ...rows.lists(conn),
});

export const oauthProviderWrites = (conn: Conn, { versions }: Upkeep) => writesByKey(rows, conn, versions);
