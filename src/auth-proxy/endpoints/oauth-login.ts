import { ApiError } from '../../base/errors.ts';
import type { VerifiedToken } from '../../engine/ports.ts';
import { Id } from '../../wire/common.ts';
import { OidcTokenText } from '../../wire/oauth-providers.ts';
import { Login, LoginResult } from '../../wire/sessions.ts';
import { type AccountOfToken, accountOfToken, verifyOidcToken } from '../account-of-token.ts';
import { type ProxyContext, proxyEndpoint } from '../declare.ts';
import { methodOfIdentity, requireMethod } from '../methods.ts';
import { linkAccount } from '../social-linking.ts';
import { namedSubOrganization } from '../sub-organization.ts';

async function accountFor(ctx: ProxyContext, token: VerifiedToken, organizationId: string | undefined): Promise<AccountOfToken> {
  const named = await namedSubOrganization(ctx, organizationId);
  const found = named
    ? {
        organizationId: named.id,
        isLinked: (await ctx.engine.store.read.oauthProviders.byIdentity(named.id, token)) !== undefined,
      }
    : await accountOfToken(ctx, token);
  if (found !== undefined) return found;
  throw new ApiError('FORBIDDEN', 'authentication failed: nobody has this account at its provider: sign up first');
}

export const oauthLogin = proxyEndpoint({
  path: '/v1/oauth_login',
  summary: 'Log in whose OpenID token this is, with a key that the client has and the token is bound to',
  params: Login.pick({ publicKey: true, invalidateExisting: true }).extend({
    oidcToken: OidcTokenText,
    organizationId: Id.optional(),
  }),
  result: LoginResult,
  async run(ctx, { organizationId, ...login }) {
    const token = await verifyOidcToken(ctx, login.oidcToken, 'oidcToken');
    requireMethod(ctx, methodOfIdentity(ctx, token));
    const account = await accountFor(ctx, token, organizationId);
    // The login itself says so if nobody there has this account.
    if (!account.isLinked) await linkAccount(ctx, account.organizationId, login.oidcToken, token);
    const expirationSeconds = String(ctx.config.settings.sessionExpirationSeconds);
    const { result } = await ctx.submit('ACTIVITY_TYPE_OAUTH_LOGIN', { ...login, expirationSeconds }, account.organizationId);
    return result as { session: string };
  },
});
