import { z } from 'zod';
import { addAuthenticators, verifyAuthenticators } from '../../domain/credentials/authenticators.ts';
import { endEnrolment } from '../../domain/credentials/enrolment.ts';
import { requireNotProxy } from '../../domain/people/auth-proxy.ts';
import { userNamed } from '../../domain/people/user-by-id.ts';
import { activity } from '../../engine/activity/declare.ts';
import { IdOut } from '../../wire/common.ts';
import { params } from './create-authenticators.history.ts';

const FIELD = 'parameters.authenticators';

export const createAuthenticators = activity({
  kind: 'CREATE_AUTHENTICATORS',
  resource: 'CREDENTIAL',
  action: 'CREATE',
  summary: 'Add passkeys to a user',
  params,
  submitters: { changesCredentialsOf: ({ userId }) => userId },
  result: { key: 'createAuthenticatorsResult', shape: z.object({ authenticatorIds: z.array(IdOut) }) },
  errors: [requireNotProxy, verifyAuthenticators, userNamed, addAuthenticators, endEnrolment],
  prepare({ ctx, intent: { userId, authenticators } }) {
    requireNotProxy(ctx.organization, userId, 'parameters.userId');
    return verifyAuthenticators(ctx, authenticators, FIELD);
  },
  async execute({ ctx, intent: { userId }, prepared: passkeys }) {
    const user = await userNamed(ctx.store, ctx.organization, userId);
    const authenticatorIds = await addAuthenticators(ctx, user, passkeys, FIELD);
    await endEnrolment(ctx);
    return { authenticatorIds };
  },
});
