import { z } from 'zod';
import { requireRoom } from '../../domain/limits/limits.ts';
import { PROXY_FEATURE } from '../../domain/people/auth-proxy.ts';
import { activity } from '../../engine/activity/declare.ts';
import { v1 } from '../../engine/activity/versions.ts';
import { newAuthProxyConfig } from '../../model/auth-proxy.ts';
import { newCredential, newUser } from '../../model/user.ts';
import { IdOut } from '../../wire/common.ts';

const NAME = 'Auth proxy';

export const enableAuthProxy = activity({
  kind: 'ENABLE_AUTH_PROXY',
  resource: 'AUTH_PROXY',
  action: 'CREATE',
  summary: 'Switch the auth proxy on: its user signs people up and logs them in, with a key that the service keeps',
  submitters: { from: 'top-level' },
  custody: 'proxy',
  params: v1(z.object({})),
  result: { key: 'enableAuthProxyResult', shape: z.object({ userId: IdOut }) },
  errors: [requireRoom],
  async prepare({ ctx: { organization, ids, vault } }) {
    return vault.newProxyKey({ organizationId: organization.id, id: ids.next() });
  },
  async execute({ ctx, prepared: { id: keyId, publicKey, sealed: sealedKey } }) {
    const { organization, store, ids, now, limits } = ctx;
    if (organization.proxyUserId !== null) return { userId: organization.proxyUserId };
    requireRoom(await store.organizations.count(organization.id, 'userCount'), 1, limits.users, 'users', 'LIMIT_USERS');
    const place = { organizationId: organization.id, parentId: null, name: NAME, createdAt: now };
    const user = newUser({ ...place, id: ids.next(), accessType: 'ACCESS_TYPE_API' });
    await store.users.insert(user);
    const key = newCredential({ ...place, id: keyId, userId: user.id, type: 'CREDENTIAL_TYPE_API_KEY_P256', publicKey });
    await store.credentials.insert(key);
    const known = await store.authProxyConfigs.ofOrganization(organization.id);
    const config = known ?? newAuthProxyConfig({ organizationId: organization.id, id: ids.next(), createdAt: now });
    const enabled = { ...config, keyId, publicKey, sealedKey, updatedAt: now };
    await (known ? store.authProxyConfigs.replace(enabled) : store.authProxyConfigs.insert(enabled));
    const features = { ...organization.features, [PROXY_FEATURE]: '' };
    await store.organizations.change(organization.id, { proxyUserId: user.id, features }, now);
    return { userId: user.id };
  },
});
