import { z } from 'zod';
import { PROXY_FEATURE } from '../../domain/people/auth-proxy.ts';
import { activity } from '../../engine/activity/declare.ts';
import { v1 } from '../../engine/activity/versions.ts';

export const disableAuthProxy = activity({
  kind: 'DISABLE_AUTH_PROXY',
  resource: 'AUTH_PROXY',
  action: 'DELETE',
  summary: 'Switch the auth proxy off: its user and key are deleted, its settings and the id of its configuration stay',
  submitters: { from: 'top-level' },
  params: v1(z.object({})),
  result: { key: 'disableAuthProxyResult', shape: z.object({}) },
  errors: [],
  async execute({ ctx: { organization, store, now } }) {
    const { id, proxyUserId } = organization;
    const config = await store.authProxyConfigs.ofOrganization(id);
    if (config)
      await store.authProxyConfigs.replace({ ...config, keyId: null, publicKey: null, sealedKey: null, updatedAt: now });
    if (proxyUserId !== null) await store.users.remove(id, proxyUserId, now);
    const { [PROXY_FEATURE]: _, ...features } = organization.features;
    await store.organizations.change(id, { proxyUserId: null, features }, now);
    return {};
  },
});
