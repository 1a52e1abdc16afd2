import { z } from 'zod';
import { query } from '../../engine/query/declare.ts';
import { AuthProxyConfigOut, viewAuthProxyConfig } from '../../wire/auth-proxy-config.ts';
import { Id } from '../../wire/common.ts';

/** The public interface has no query for it. `{}`: the organization has made no settings. */
export const getAuthProxyConfig = query({
  name: 'get_auth_proxy_config',
  summary: 'The settings of the auth proxy, the id of its configuration for applications, and whether it is on',
  params: z.object({ organizationId: Id }),
  result: z.object({ authProxyConfig: AuthProxyConfigOut.optional() }),
  errors: [],
  async run({ organization, read }) {
    const config = await read.authProxyConfigs.ofOrganization(organization.id);
    return config === undefined ? {} : { authProxyConfig: viewAuthProxyConfig(organization, config) };
  },
});
