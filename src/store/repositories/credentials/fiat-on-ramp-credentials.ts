import type { FiatOnRampCredential, OnRampProvider } from '../../../model/on-ramp.ts';
import type { Page } from '../../page.ts';
import { pagesOf } from '../../pages.ts';
import { type Conn, statement } from '../../statement.ts';
import { values } from '../../table.ts';
import { fiatOnRampCredentials } from '../../tables/fiat-on-ramp-credentials.ts';
import type { Upkeep } from '../upkeep.ts';

const get = statement((db, p: { org: string; id: string }) =>
  db
    .selectFrom('fiat_on_ramp_credentials')
    .select(fiatOnRampCredentials.all)
    .where('organization_id', '=', p.org)
    .where('id', '=', p.id),
);
const newest = statement((db, p: { org: string; provider: OnRampProvider; sandbox: boolean }) =>
  db
    .selectFrom('fiat_on_ramp_credentials')
    .select(fiatOnRampCredentials.all)
    .where('organization_id', '=', p.org)
    .where('provider', '=', p.provider)
    .where('sandbox_mode', '=', p.sandbox)
    .orderBy('id', 'desc')
    .limit(1),
);
const pages = pagesOf(fiatOnRampCredentials);
const insert = statement((db, p: FiatOnRampCredential) =>
  db.insertInto('fiat_on_ramp_credentials').values(values(fiatOnRampCredentials, p)),
);
const replace = statement((db, p: FiatOnRampCredential) =>
  db
    .updateTable('fiat_on_ramp_credentials')
    .set(values(fiatOnRampCredentials, p))
    .where('organization_id', '=', p.organizationId)
    .where('id', '=', p.id),
);
const remove = statement((db, p: { org: string; id: string }) =>
  db.deleteFrom('fiat_on_ramp_credentials').where('organization_id', '=', p.org).where('id', '=', p.id),
);

export const fiatOnRampCredentialReads = (conn: Conn) => ({
  get: (org: string, id: string): Promise<FiatOnRampCredential | undefined> => get.first(conn, { org, id }),
  /** The last credential that was made for a provider and mode. */
  newest: (org: string, provider: OnRampProvider, sandbox: boolean): Promise<FiatOnRampCredential | undefined> =>
    newest.first(conn, { org, provider, sandbox }),
  /** In the order of creation. */
  page: (org: string, page: Page): Promise<FiatOnRampCredential[]> => pages(conn, org, page),
});

export const fiatOnRampCredentialWrites = (conn: Conn, { counts }: Upkeep) => ({
  async insert(credential: FiatOnRampCredential): Promise<void> {
    await insert.run(conn, credential);
    counts.add(credential.organizationId, 'fiatOnRampCredentialCount', 1);
  },
  /** Replaces the credential with the same id. */
  async replace(credential: FiatOnRampCredential): Promise<void> {
    await replace.run(conn, credential);
  },
  /** False if there is no such credential. */
  async remove(org: string, id: string): Promise<boolean> {
    if ((await remove.run(conn, { org, id })) === 0) return false;
    counts.add(org, 'fiatOnRampCredentialCount', -1);
    return true;
  },
});
