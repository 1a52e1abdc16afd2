import { z } from 'zod';
import { ApiError } from '../../base/errors.ts';
import { query } from '../../engine/query/declare.ts';
import { AuthProxyConfigOut, viewAuthProxyConfig } from '../../wire/auth-proxy-config.ts';
import { Id } from '../../wire/common.ts';

/** The public interface has no query for it. */
export const getAuthProxyConfig = query({
  name: 'get_auth_proxy_config',
  summary: 'The settings of the auth proxy, the id by which applications name them, and whether it is on',
  params: z.object({ organizationId: Id }),
  result: z.object({ authProxyConfig: AuthProxyConfigOut }),
  errors: ['NOT_FOUND'],
  async run({ organization, read }) {
    const config = await read.authProxyConfigs.ofOrganization(organization.id);
    if (config === undefined)
      throw new ApiError(
        'NOT_FOUND',
        'auth proxy configuration not found: ENABLE_AUTH_PROXY or UPDATE_AUTH_PROXY_CONFIG makes one, in a top-level organization',
      );
    return { authProxyConfig: viewAuthProxyConfig(organization, config) };
  },
});
