import type { Engine } from '../engine/engine.ts';
import type { AuthProxyConfig } from '../model/auth-proxy.ts';
import type { Organization } from '../model/organization.ts';

/** The auth proxy of a top-level organization, which is on. */
export type EnabledProxy = { organization: Organization; config: AuthProxyConfig };

/**
 * Undefined if there is none with this id, or it is off. Always read from the store: a proxy that was switched off serves no
 * request from then on.
 */
export async function findConfig({ store }: Pick<Engine, 'store'>, configId: string): Promise<EnabledProxy | undefined> {
  const config = await store.read.authProxyConfigs.byId(configId.toLowerCase());
  if (config === undefined || config.keyId === null) return undefined;
  const organization = await store.read.organizations.get(config.organizationId);
  if (organization === undefined || organization.proxyUserId === null) return undefined;
  return { organization, config };
}
