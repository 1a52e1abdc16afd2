import { z } from 'zod';
import { ApiError } from '../../base/errors.ts';
import { endReadingSessions } from '../../domain/credentials/reading-sessions.ts';
import { requireLastingLoginLeft } from '../../domain/people/lasting-credentials.ts';
import { userNamed } from '../../domain/people/user-by-id.ts';
import { activity } from '../../engine/activity/declare.ts';
import { v1 } from '../../engine/activity/versions.ts';
import { Id, IdOut } from '../../wire/common.ts';

export const deleteOauthProviders = activity({
  kind: 'DELETE_OAUTH_PROVIDERS',
  resource: 'CREDENTIAL',
  action: 'DELETE',
  summary: 'Delete OAuth providers of a user',
  params: v1(z.object({ userId: Id, providerIds: z.array(Id).min(1, 'must name at least one OAuth provider').max(100) })),
  submitters: { changesCredentialsOf: ({ userId }) => userId },
  result: { key: 'deleteOauthProvidersResult', shape: z.object({ providerIds: z.array(IdOut) }) },
  errors: [requireLastingLoginLeft, userNamed],
  async execute({ ctx, intent: { userId, providerIds } }) {
    const { organization, store, now } = ctx;
    await userNamed(store, organization, userId);
    const own = new Set((await store.oauthProviders.listByUser(organization.id, userId)).map(({ id }) => id));
    for (const id of new Set(providerIds)) {
      if (!own.has(id))
        throw new ApiError(
          'NOT_FOUND',
          `oauth provider not found: parameters.providerIds names ${id}, which is not a provider of user ${userId}`,
        );
      await store.oauthProviders.remove(organization.id, id, now);
    }
    await endReadingSessions(ctx, organization.id, userId);
    await requireLastingLoginLeft(store, organization, userId, 'parameters.providerIds');
    return { providerIds };
  },
});
