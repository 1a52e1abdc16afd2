import { z } from 'zod';
import { userOfToken, verifyLogin } from '../../domain/credentials/oauth-login.ts';
import { issueCredential } from '../../domain/credentials/sessions.ts';
import { activity } from '../../engine/activity/declare.ts';
import { v1 } from '../../engine/activity/versions.ts';
import { IdOut } from '../../wire/common.ts';
import { OidcTokenText } from '../../wire/oauth-providers.ts';
import { IssuedKey, LoginKeyRequest } from '../../wire/sessions.ts';

export const oauth = activity({
  kind: 'OAUTH',
  resource: 'AUTH',
  action: 'CREATE',
  summary: 'Log in the user of an OpenID token, with a new API key that is sealed to the key in the token',
  submitters: { from: 'parent' },
  custody: 'issue',
  secrets: ['oidcToken'],
  params: v1(LoginKeyRequest.extend({ oidcToken: OidcTokenText })),
  resultBundles: ['credentialBundle'],
  result: { key: 'oauthResult', shape: z.object({ userId: IdOut, ...IssuedKey.shape }) },
  errors: [verifyLogin, userOfToken, issueCredential],
  prepare: ({ ctx, intent: { oidcToken, targetPublicKey } }) => verifyLogin(ctx, oidcToken, targetPublicKey),
  async execute({ ctx, intent: { oidcToken: _, ...key }, prepared: token }) {
    const user = await userOfToken(ctx, token);
    const made = await issueCredential(ctx, user, { type: 'CREDENTIAL_TYPE_OAUTH_KEY_P256', defaultName: 'Oauth', ...key });
    return { userId: user.id, ...made };
  },
});
