import { z } from 'zod';
import { addApiKeys } from '../../domain/credentials/api-keys.ts';
import { requireNotProxy } from '../../domain/people/auth-proxy.ts';
import { userNamed } from '../../domain/people/user-by-id.ts';
import { activity, STRING } from '../../engine/activity/declare.ts';
import { IdOut } from '../../wire/common.ts';
import { params } from './create-api-keys.history.ts';

export const createApiKeys = activity({
  kind: 'CREATE_API_KEYS',
  resource: 'CREDENTIAL',
  action: 'CREATE',
  summary: 'Add API keys to a user',
  params,
  policyParams: { user_id: [STRING, ({ userId }) => userId] },
  submitters: { changesCredentialsOf: ({ userId }) => userId },
  result: { key: 'createApiKeysResult', shape: z.object({ apiKeyIds: z.array(IdOut) }) },
  errors: [requireNotProxy, userNamed, addApiKeys],
  async execute({ ctx, intent: { userId, apiKeys } }) {
    requireNotProxy(ctx.organization, userId, 'parameters.userId');
    const user = await userNamed(ctx.store, ctx.organization, userId);
    const apiKeyIds = await addApiKeys(ctx, user, apiKeys, 'parameters.apiKeys');
    return { apiKeyIds };
  },
});
