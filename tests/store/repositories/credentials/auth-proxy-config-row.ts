import { type AuthProxyConfig, DEFAULT_SETTINGS } from '../../../../src/model/auth-proxy.ts';
import { idOf, NOW } from '../../names.ts';

/** There is one in each organization, and no two have an id in common. */
export const proxyIdOf = (organizationId: string): string => idOf(`proxy of ${idOf(organizationId)}`);

export const authProxyConfigOf = (organizationId: string): AuthProxyConfig => ({
  organizationId: idOf(organizationId),
  id: proxyIdOf(organizationId),
  keyId: idOf('proxy key'),
  publicKey: '02'.padEnd(66, 'a'),
  sealedKey: Buffer.from('sealed'),
  settings: DEFAULT_SETTINGS,
  createdAt: NOW,
  updatedAt: NOW,
});
