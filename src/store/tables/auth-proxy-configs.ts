import type { AuthProxySettings } from '../../model/auth-proxy.ts';
import { hex, id, int, json, nullable, sealed } from '../columns.ts';
import { table } from '../table.ts';

export const authProxyConfigs = table('auth_proxy_configs', {
  organizationId: id(),
  /** Public, because applications have it built in. */
  id: id(),
  keyId: nullable(id()),
  /** Lower-case hex, 33 bytes. */
  publicKey: nullable(hex()),
  /** The private key, sealed under a master key. */
  sealedKey: nullable(sealed()),
  settings: json<AuthProxySettings>(),
  createdAt: int(),
  updatedAt: int(),
});
