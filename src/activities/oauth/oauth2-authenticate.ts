import { z } from 'zod';
import { ApiError } from '../../base/errors.ts';
import { oauth2CredentialOf } from '../../domain/credentials/oauth2-credentials.ts';
import { targetOf } from '../../domain/credentials/target-keys.ts';
import { activity } from '../../engine/activity/declare.ts';
import { v1 } from '../../engine/activity/versions.ts';
import { mintIdentityToken } from '../../login/tokens/own-issuer.ts';
import { Oauth2AuthenticateParams } from '../../wire/oauth2-credentials.ts';

const TARGET = 'parameters.bearerTokenTargetPublicKey';

export const oauth2Authenticate = activity({
  kind: 'OAUTH2_AUTHENTICATE',
  resource: 'AUTH',
  action: 'CREATE',
  summary:
    'Exchange the authorization code of an OAuth 2.0 provider for an OpenID token of this service, which identifies the user',
  custody: 'oauth2',
  secrets: ['authCode', 'codeVerifier'],
  resultSecrets: ['oidcToken'],
  params: v1(Oauth2AuthenticateParams),
  result: { key: 'oauth2AuthenticateResult', shape: z.object({ oidcToken: z.string() }) },
  errors: [targetOf, oauth2CredentialOf, 'OAUTH2_PROVIDER_NOT_CONFIGURED'],
  check({ intent: { bearerTokenTargetPublicKey: target } }) {
    if (target !== undefined) targetOf(target, TARGET);
  },
  async prepare({
    ctx: { organization, read, vault, oauth2User },
    intent: { oauth2CredentialId, authCode, redirectUri, codeVerifier },
  }) {
    const credential = await oauth2CredentialOf(read, organization.id, oauth2CredentialId);
    const { provider, clientId, sealedClientSecret } = credential;
    const clientSecret = vault.openClientSecret(credential, sealedClientSecret);
    const user = await oauth2User({ provider, clientId, clientSecret, authCode, redirectUri, codeVerifier });
    return { credential, user };
  },
  async execute({ ctx: { organization, store, vault, baseUrl, now }, intent: params, prepared: { credential, user } }) {
    const present = await oauth2CredentialOf(store, organization.id, credential.id);
    if (!present.sealedClientSecret.equals(credential.sealedClientSecret))
      throw new ApiError('REQUEST_INVALID', 'the OAuth 2.0 credential was changed during this request: sign in again');
    const { nonce, bearerTokenTargetPublicKey: target } = params;
    const oidcToken = mintIdentityToken(vault, {
      baseUrl,
      audience: credential.clientId,
      subject: user.subject,
      nonce,
      encryptedBearerToken: target === undefined ? undefined : vault.sealBearerToken(targetOf(target, TARGET), user.bearerToken),
      now,
    });
    return { oidcToken };
  },
});
