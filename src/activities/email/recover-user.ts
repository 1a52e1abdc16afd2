import { z } from 'zod';
import { addAuthenticator, verifyAuthenticator } from '../../domain/credentials/authenticators.ts';
import { requireFeature } from '../../domain/people/features.ts';
import { userNamed } from '../../domain/people/user-by-id.ts';
import { activity } from '../../engine/activity/declare.ts';
import { v1 } from '../../engine/activity/versions.ts';
import { RECOVERY_KEY } from '../../model/user.ts';
import { AuthenticatorParamsV2 } from '../../wire/authenticators.ts';
import { Id, IdOut } from '../../wire/common.ts';

const FIELD = 'parameters.authenticator';

export const recoverUser = activity({
  kind: 'RECOVER_USER',
  resource: 'RECOVERY',
  action: 'UPDATE',
  summary: 'Add a passkey to the user whose recovery key stamps the request; all recovery keys of the user are deleted',
  submitters: { credential: 'recovery-key', changesCredentialsOf: ({ userId }) => userId },
  params: v1(z.object({ authenticator: AuthenticatorParamsV2, userId: Id })),
  result: { key: 'recoverUserResult', shape: z.object({ authenticatorId: z.array(IdOut) }) },
  errors: [verifyAuthenticator, requireFeature, userNamed, addAuthenticator],
  prepare({ ctx, intent: { authenticator } }) {
    requireFeature(ctx, 'FEATURE_NAME_EMAIL_RECOVERY');
    return verifyAuthenticator(ctx, authenticator, FIELD);
  },
  async execute({ ctx, intent: { userId }, prepared: passkey }) {
    const { store, organization, now } = ctx;
    const user = await userNamed(store, organization, userId);
    const added = await addAuthenticator(ctx, user, passkey, FIELD);
    for (const { id, type } of await store.credentials.listByUser(organization.id, userId))
      if (type === RECOVERY_KEY) await store.credentials.remove(organization.id, id, now);
    return { authenticatorId: [added] };
  },
});
