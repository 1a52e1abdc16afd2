import type { Oauth2Credential, Oauth2Provider } from '../../../model/oauth2-credential.ts';
import type { Page } from '../../page.ts';
import { pagesOf } from '../../pages.ts';
import { type Conn, statement } from '../../statement.ts';
import { values } from '../../table.ts';
import { oauth2Credentials } from '../../tables/oauth2-credentials.ts';
import type { Upkeep } from '../upkeep.ts';

const get = statement((db, p: { org: string; id: string }) =>
  db.selectFrom('oauth2_credentials').select(oauth2Credentials.all).where('organization_id', '=', p.org).where('id', '=', p.id),
);
const ofClient = statement((db, p: { org: string; provider: string; client: string }) =>
  db
    .selectFrom('oauth2_credentials')
    .select(oauth2Credentials.all)
    .where('organization_id', '=', p.org)
    .where('provider', '=', p.provider as Oauth2Provider)
    .where('client_id', '=', p.client)
    .orderBy('id', 'desc')
    .limit(1),
);
const pages = pagesOf(oauth2Credentials);
const insert = statement((db, p: Oauth2Credential) => db.insertInto('oauth2_credentials').values(values(oauth2Credentials, p)));
const replace = statement((db, p: Oauth2Credential) =>
  db
    .updateTable('oauth2_credentials')
    .set(values(oauth2Credentials, p))
    .where('organization_id', '=', p.organizationId)
    .where('id', '=', p.id),
);
const remove = statement((db, p: { org: string; id: string }) =>
  db.deleteFrom('oauth2_credentials').where('organization_id', '=', p.org).where('id', '=', p.id),
);

export const oauth2CredentialReads = (conn: Conn) => ({
  async get(org: string, id: string): Promise<Oauth2Credential | undefined> {
    return get.first(conn, { org, id });
  },
  /** The latest credential of an application at a provider. */
  async ofClient(org: string, provider: Oauth2Provider, client: string): Promise<Oauth2Credential | undefined> {
    return ofClient.first(conn, { org, provider, client });
  },
  /** In the order of creation. */
  async page(org: string, page: Page): Promise<Oauth2Credential[]> {
    return pages(conn, org, page);
  },
});

export const oauth2CredentialWrites = (conn: Conn, { counts }: Upkeep) => ({
  async insert(credential: Oauth2Credential): Promise<void> {
    await insert.run(conn, credential);
    counts.add(credential.organizationId, 'oauth2CredentialCount', 1);
  },
  /** Replaces the credential with the same id. */
  async replace(credential: Oauth2Credential): Promise<void> {
    await replace.run(conn, credential);
  },
  /** False if there is no such credential. */
  async remove(org: string, id: string): Promise<boolean> {
    if ((await remove.run(conn, { org, id })) === 0) return false;
    counts.add(org, 'oauth2CredentialCount', -1);
    return true;
  },
});
