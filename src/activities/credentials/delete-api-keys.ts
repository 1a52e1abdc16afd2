import { z } from 'zod';
import { ApiError } from '../../base/errors.ts';
import { endReadingSessions } from '../../domain/credentials/reading-sessions.ts';
import { requireNotProxy } from '../../domain/people/auth-proxy.ts';
import { requireLastingLoginLeft } from '../../domain/people/lasting-credentials.ts';
import { userNamed } from '../../domain/people/user-by-id.ts';
import { activity, listOf, STRING } from '../../engine/activity/declare.ts';
import { v1 } from '../../engine/activity/versions.ts';
import { Id, IdOut } from '../../wire/common.ts';

export const deleteApiKeys = activity({
  kind: 'DELETE_API_KEYS',
  resource: 'CREDENTIAL',
  action: 'DELETE',
  summary: 'Delete API keys of a user; their stamps are refused immediately',
  params: v1(z.object({ userId: Id, apiKeyIds: z.array(Id).min(1, 'must name at least one API key').max(100) })),
  policyParams: { user_id: [STRING, ({ userId }) => userId], api_key_ids: [listOf(STRING), ({ apiKeyIds }) => apiKeyIds] },
  submitters: { changesCredentialsOf: ({ userId }) => userId },
  result: { key: 'deleteApiKeysResult', shape: z.object({ apiKeyIds: z.array(IdOut) }) },
  errors: [requireNotProxy, userNamed, requireLastingLoginLeft],
  async execute({ ctx, intent: { userId, apiKeyIds } }) {
    const { organization, store } = ctx;
    requireNotProxy(organization, userId, 'parameters.userId');
    await userNamed(store, organization, userId);
    const theirs = new Map((await store.credentials.listByUser(organization.id, userId)).map((key) => [key.id, key]));
    for (const id of new Set(apiKeyIds)) {
      if (!theirs.has(id))
        throw new ApiError(
          'NOT_FOUND',
          `api key not found: parameters.apiKeyIds names ${id}, which is not a key of user ${userId}`,
        );
      await store.credentials.remove(organization.id, id, ctx.now);
    }
    const isLasting = (id: string): boolean => theirs.get(id)?.expiresAt === null;
    if (apiKeyIds.some(isLasting)) await endReadingSessions(ctx, organization.id, userId);
    await requireLastingLoginLeft(store, organization, userId, 'parameters.apiKeyIds');
    return { apiKeyIds };
  },
});
