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
  submitters: { from: 'top-level' },
  params: v1(AuthProxyParams),
  result: { key: 'updateAuthProxyConfigResult', shape: z.object({ configId: IdOut }) },
  errors: [checkSettings, requireTemplates],
  check: ({ intent: params }) => checkSettings(params),
  async execute({ ctx, intent: params }) {
    await requireTemplates(ctx, params);
    return { configId: await changeConfig(ctx, params) };
  },
});
