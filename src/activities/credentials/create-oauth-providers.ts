import { z } from 'zod';
import { addOauthProviders, requireRoomForProviders, verifyOauthProviders } from '../../domain/credentials/oauth-providers.ts';
import { requireLinkable } from '../../domain/credentials/social-linking.ts';
import { requireNotProxy } from '../../domain/people/auth-proxy.ts';
import { userNamed } from '../../domain/people/user-by-id.ts';
import { activity } from '../../engine/activity/declare.ts';
import { IdOut } from '../../wire/common.ts';
import { params } from './create-oauth-providers.history.ts';

const FIELD = 'parameters.oauthProviders';
const shape = z.object({ providerIds: z.array(IdOut) });

export const createOauthProviders = activity({
  kind: 'CREATE_OAUTH_PROVIDERS',
  resource: 'CREDENTIAL',
  action: 'CREATE',
  summary: 'Add OAuth providers to a user; each token is verified with the keys of its issuer',
  secrets: ['oauthProviders.oidcToken'],
  params,
  submitters: { from: 'proxy', changesCredentialsOf: ({ userId }) => userId },
  result: { key: 'createOauthProvidersResultV2', shape },
  oldResults: [{ until: 1, key: 'createOauthProvidersResult', shape, write: (result) => result }],
  errors: [requireNotProxy, requireRoomForProviders, verifyOauthProviders, userNamed, requireLinkable, addOauthProviders],
  async prepare({ ctx, intent: { userId, oauthProviders } }) {
    const { read, organization, limits } = ctx;
    requireNotProxy(organization, userId, 'parameters.userId');
    // No issuer is asked about providers that could not be added.
    await requireRoomForProviders(read, { organizationId: organization.id, id: userId }, oauthProviders.length, limits);
    const [verified] = await verifyOauthProviders(ctx, [{ providers: oauthProviders, field: FIELD }]);
    return verified!;
  },
  async execute({ ctx, intent: { userId }, prepared: providers }) {
    const user = await userNamed(ctx.store, ctx.organization, userId);
    await requireLinkable(ctx, user, providers, FIELD);
    return { providerIds: await addOauthProviders(ctx, user, providers, FIELD) };
  },
});
