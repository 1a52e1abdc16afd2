import { userOfToken, verifyLogin } from '../../domain/credentials/oauth-login.ts';
import { SESSION_PROFILE_PARAM } from '../../domain/credentials/session-profiles.ts';
import { logIn } from '../../domain/credentials/sessions.ts';
import { activity } from '../../engine/activity/declare.ts';
import { v1 } from '../../engine/activity/versions.ts';
import { OidcTokenText } from '../../wire/oauth-providers.ts';
import { Login, LoginResult } from '../../wire/sessions.ts';

export const oauthLogin = activity({
  kind: 'OAUTH_LOGIN',
  resource: 'AUTH',
  action: 'CREATE',
  summary: 'Log in the user of an OpenID token, with a key of the client to which the token is bound',
  submitters: { from: 'parent' },
  custody: 'sessions',
  secrets: ['oidcToken'],
  params: v1(Login.extend({ oidcToken: OidcTokenText })),
  policyParams: SESSION_PROFILE_PARAM,
  result: { key: 'oauthLoginResult', shape: LoginResult },
  errors: [verifyLogin, logIn, userOfToken],
  prepare: ({ ctx, intent: { oidcToken, publicKey } }) => verifyLogin(ctx, oidcToken, publicKey),
  async execute({ ctx, intent: { oidcToken: _, ...login }, prepared: token }) {
    return logIn(ctx, await userOfToken(ctx, token), login);
  },
});
