import { z } from 'zod';
import { ApiError } from '../../base/errors.ts';
import { limitVerification } from '../../domain/limits/unstamped.ts';
import { Oauth2AuthenticateParams, Oauth2CredentialParams } from '../../wire/oauth2-credentials.ts';
import { proxyEndpoint } from '../declare.ts';
import { requireMethod } from '../methods.ts';

const METHODS = { OAUTH2_PROVIDER_X: 'x', OAUTH2_PROVIDER_DISCORD: 'discord' } as const;

export const oauth2Authenticate = proxyEndpoint({
  path: '/v1/oauth2_authenticate',
  summary: 'Exchange the authorization code of an OAuth 2.0 provider for an OpenID token of this service',
  params: Oauth2CredentialParams.pick({ provider: true, clientId: true }).extend(
    Oauth2AuthenticateParams.pick({ authCode: true, redirectUri: true, codeVerifier: true, nonce: true }).shape,
  ),
  result: z.object({ oidcToken: z.string() }),
  submits: ['ACTIVITY_TYPE_OAUTH2_AUTHENTICATE'],
  errors: ['OAUTH2_CREDENTIAL_NOT_FOUND'],
  async run(ctx, { provider, clientId, ...exchange }) {
    requireMethod(ctx, METHODS[provider]);
    const { engine, organization } = ctx;
    const credential = await engine.store.read.oauth2Credentials.ofClient(organization.id, provider, clientId);
    // Each invented code costs a question to the provider, and a record.
    await limitVerification(ctx);
    if (credential === undefined)
      throw new ApiError(
        'OAUTH2_CREDENTIAL_NOT_FOUND',
        'OAuth 2.0 credential not found: the organization has none with this provider and clientId',
      );
    const parameters = { oauth2CredentialId: credential.id, ...exchange };
    const { result } = await ctx.submit('ACTIVITY_TYPE_OAUTH2_AUTHENTICATE', parameters);
    return result as { oidcToken: string };
  },
});
