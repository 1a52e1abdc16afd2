import { z } from 'zod';
import { changeConfig, checkSettings, requireTemplates } from '../../domain/people/auth-proxy-settings.ts';
import { activity } from '../../engine/activity/declare.ts';
import { v1 } from '../../engine/activity/versions.ts';
import { AuthProxyParams } from '../../wire/auth-proxy.ts';
import { IdOut } from '../../wire/common.ts';

export const updateAuthProxyConfig = activity({
  kind: 'UPDATE_AUTH_PROXY_CONFIG',
  resource: 'AUTH_PROXY',
  action: 'UPDATE',
  summary: 'Change settings of the auth proxy, also while it is off; omitted settings stay as they are',
  callers: 'top-level',
  params: v1(AuthProxyParams),
  result: { key: 'updateAuthProxyConfigResult', shape: z.object({ configId: IdOut }) },
  errors: ['REQUEST_INVALID', 'INVALID_EMAIL'],
  check: (_, params) => checkSettings(params),
  async execute(ctx, params) {
    await requireTemplates(ctx, params);
    return { configId: await changeConfig(ctx, params) };
  },
});
