import type { z } from 'zod';
import { limitSignUpsOfAll } from '../domain/limits/unstamped.ts';
import type { AuthMethod } from '../model/auth-proxy.ts';
import type { SignUpRequestV2, SignUpResult } from '../wire/proxy-requests.ts';
import type { ProxyContext } from './declare.ts';
import { methodOfIdentity, methodOfOtp, requireMethod } from './methods.ts';
import { readToken } from './sub-organization.ts';

type Wish = z.output<typeof SignUpRequestV2>;

/**
 * The methods by which the new user can log in later, as far as this request shows. A key that expires is for the first
 * session.
 */
async function methodsOf(ctx: ProxyContext, wish: Wish): Promise<AuthMethod[]> {
  const { apiKeys, authenticators, oauthProviders, userEmail, userPhoneNumber, verificationToken } = wish;
  const methods: AuthMethod[] = [];
  if (authenticators.length > 0) methods.push('passkey');
  if (apiKeys.some(({ expirationSeconds }) => expirationSeconds === undefined)) methods.push('wallet');
  for (const [i, { oidcToken, oidcClaims }] of oauthProviders.entries()) {
    const field = `oauthProviders[${i}].oidcToken`;
    const identity =
      oidcClaims === undefined
        ? ctx.engine.oidc.claimed({ token: oidcToken!, field }, { now: ctx.now })
        : { issuer: oidcClaims.iss, subject: oidcClaims.sub };
    methods.push(methodOfIdentity(ctx, identity));
  }
  if (verificationToken !== undefined) methods.push(methodOfOtp((await readToken(ctx, verificationToken)).type));
  if (methods.length > 0) return methods;
  if (userEmail !== undefined) methods.push('email');
  if (userPhoneNumber !== undefined) methods.push('sms');
  return methods;
}

type Made = {
  subOrganizationId: string;
  rootUserIds: readonly string[];
  wallet?: z.output<typeof SignUpResult>['wallet'];
};

/** One new sub-organization, with one root user. */
export async function signUp(ctx: ProxyContext, type: string, wish: Wish): Promise<z.output<typeof SignUpResult>> {
  for (const method of await methodsOf(ctx, wish)) requireMethod(ctx, method);
  await limitSignUpsOfAll(ctx);
  const { userEmail, userPhoneNumber, apiKeys, authenticators, oauthProviders } = wish;
  const { wallet, verificationToken, clientSignature } = wish;
  const userName = wish.userName ?? userEmail ?? `user-${ctx.now}`;
  const parameters = {
    subOrganizationName: wish.organizationName ?? `sub-org-${ctx.now}`,
    rootUsers: [{ userName, userEmail, userPhoneNumber, apiKeys, authenticators, oauthProviders }],
    rootQuorumThreshold: 1,
    wallet,
    verificationToken,
    clientSignature,
  };
  const { result } = await ctx.submit(type, parameters);
  const { subOrganizationId, rootUserIds, wallet: made } = result as Made;
  return { organizationId: subOrganizationId, userId: rootUserIds[0]!, ...(made && { wallet: made }) };
}
