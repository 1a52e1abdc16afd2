import { ApiError } from '../../base/errors.ts';
import type { VerifiedToken } from '../../engine/ports.ts';
import { Id } from '../../wire/common.ts';
import { OidcTokenText } from '../../wire/oauth-providers.ts';
import { Login, LoginResult } from '../../wire/sessions.ts';
import { type AccountOfToken, accountOfToken, claimsOf, verifyOidcToken } from '../account-of-token.ts';
import { type ProxyContext, proxyEndpoint } from '../declare.ts';
import { methodOfIdentity, requireMethod } from '../methods.ts';
import { linkAccount } from '../social-linking.ts';
import { namedSubOrganization } from '../sub-organization.ts';

const unknownAccount = () => new ApiError('FORBIDDEN', 'authentication failed: no user has this OAuth account: sign up first');

/**
 * The account that the verified token leads to. Throws ORGANIZATION_NOT_FOUND, and FORBIDDEN if the token belongs to no user
 * here.
 */
async function accountFor(
  ctx: ProxyContext,
  oidcToken: string,
  organizationId: string | undefined,
): Promise<{ token: VerifiedToken; account: AccountOfToken }> {
  const named = await namedSubOrganization(ctx, organizationId);
  const token = await verifyOidcToken(ctx, oidcToken, 'oidcToken');
  if (token === undefined) throw unknownAccount();
  if (named === undefined) {
    const account = await accountOfToken(ctx, token);
    if (account === undefined) throw unknownAccount();
    return { token, account };
  }
  const isLinked = (await ctx.engine.store.read.oauthProviders.byIdentity(named.id, token)) !== undefined;
  return { token, account: { organizationId: named.id, isLinked } };
}

export const oauthLogin = proxyEndpoint({
  path: '/v1/oauth_login',
  summary: 'Log in the user of an OpenID token, with a key of the client to which the token is bound',
  params: Login.pick({ publicKey: true, invalidateExisting: true }).extend({
    oidcToken: OidcTokenText,
    organizationId: Id.optional(),
  }),
  result: LoginResult,
  submits: ['ACTIVITY_TYPE_OAUTH_LOGIN', 'ACTIVITY_TYPE_CREATE_OAUTH_PROVIDERS_V2'],
  errors: ['INVALID_OIDC_TOKEN'],
  async run(ctx, { organizationId, ...login }) {
    requireMethod(ctx, methodOfIdentity(ctx, claimsOf(ctx, login.oidcToken, 'oidcToken')));
    const { token, account } = await accountFor(ctx, login.oidcToken, organizationId);
    // If no user there has this account, the login itself reports it.
    if (!account.isLinked) await linkAccount(ctx, account.organizationId, login.oidcToken, token);
    const expirationSeconds = String(ctx.config.settings.sessionExpirationSeconds);
    const { result } = await ctx.submit('ACTIVITY_TYPE_OAUTH_LOGIN', { ...login, expirationSeconds }, account.organizationId);
    return result as { session: string };
  },
});
