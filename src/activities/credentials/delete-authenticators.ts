import { z } from 'zod';
import { ApiError } from '../../base/errors.ts';
import { endReadingSessions } from '../../domain/credentials/reading-sessions.ts';
import { requireLastingLoginLeft } from '../../domain/people/lasting-credentials.ts';
import { userNamed } from '../../domain/people/user-by-id.ts';
import { activity } from '../../engine/activity/declare.ts';
import { v1 } from '../../engine/activity/versions.ts';
import { Id, IdOut } from '../../wire/common.ts';

export const deleteAuthenticators = activity({
  kind: 'DELETE_AUTHENTICATORS',
  resource: 'CREDENTIAL',
  action: 'DELETE',
  summary: 'Delete passkeys of a user; their stamps are refused immediately',
  params: v1(z.object({ userId: Id, authenticatorIds: z.array(Id).min(1, 'must name at least one authenticator').max(100) })),
  submitters: { changesCredentialsOf: ({ userId }) => userId },
  result: { key: 'deleteAuthenticatorsResult', shape: z.object({ authenticatorIds: z.array(IdOut) }) },
  errors: [requireLastingLoginLeft, userNamed],
  async execute({ ctx, intent: { userId, authenticatorIds } }) {
    const { organization, store } = ctx;
    await userNamed(store, organization, userId);
    const passkeys = new Set((await store.authenticators.listByUser(organization.id, userId)).map(({ id }) => id));
    for (const id of new Set(authenticatorIds)) {
      if (!passkeys.has(id))
        throw new ApiError(
          'NOT_FOUND',
          `authenticator not found: parameters.authenticatorIds names ${id}, which is not a passkey of user ${userId}`,
        );
      await store.authenticators.remove(organization.id, id, ctx.now);
    }
    await endReadingSessions(ctx, organization.id, userId);
    await requireLastingLoginLeft(store, organization, userId, 'parameters.authenticatorIds');
    return { authenticatorIds };
  },
});
