import type { AuthProxyConfig } from '../../../model/auth-proxy.ts';
import { type Conn, statement } from '../../statement.ts';
import { values } from '../../table.ts';
import { authProxyConfigs } from '../../tables/auth-proxy-configs.ts';

const ofOrganization = statement((db, p: { org: string }) =>
  db.selectFrom('auth_proxy_configs').select(authProxyConfigs.all).where('organization_id', '=', p.org),
);
const byId = statement((db, p: { id: string }) =>
  db.selectFrom('auth_proxy_configs').select(authProxyConfigs.all).where('id', '=', p.id),
);
const insert = statement((db, p: AuthProxyConfig) => db.insertInto('auth_proxy_configs').values(values(authProxyConfigs, p)));
const replace = statement((db, p: AuthProxyConfig) =>
  db.updateTable('auth_proxy_configs').set(values(authProxyConfigs, p)).where('organization_id', '=', p.organizationId),
);

/** Without the key. During a rotation its version may be closing, and a write of the key would be refused. */
const setSettings = statement((db, p: Pick<AuthProxyConfig, 'organizationId' | 'settings' | 'updatedAt'>) =>
  db
    .updateTable('auth_proxy_configs')
    .set({ settings: p.settings, updated_at: p.updatedAt })
    .where('organization_id', '=', p.organizationId),
);

export const authProxyConfigReads = (conn: Conn) => ({
  async ofOrganization(org: string): Promise<AuthProxyConfig | undefined> {
    return ofOrganization.first(conn, { org });
  },
  /** The configuration with this id, of any organization: a client of the proxy has only the id. */
  async byId(id: string): Promise<AuthProxyConfig | undefined> {
    return byId.first(conn, { id });
  },
});

export const authProxyConfigWrites = (conn: Conn) => ({
  async insert(config: AuthProxyConfig): Promise<void> {
    await insert.run(conn, config);
  },
  /** Replaces the configuration of its organization. */
  async replace(config: AuthProxyConfig): Promise<void> {
    await replace.run(conn, config);
  },
  /** Replaces the settings, and leaves the key as it is. */
  async setSettings(organizationId: string, settings: AuthProxyConfig['settings'], updatedAt: number): Promise<void> {
    await setSettings.run(conn, { organizationId, settings, updatedAt });
  },
});
