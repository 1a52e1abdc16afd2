import { ApiError } from '../base/errors.ts';
import { findUserOfContact } from '../domain/people/contact-users.ts';
import type { VerifiedToken } from '../engine/ports.ts';
import { linkableEmail } from './account-of-token.ts';
import type { ProxyContext } from './declare.ts';

const REFUSED = ['INVALID_OIDC_TOKEN', 'OAUTH_PROVIDER_ALREADY_EXISTS', 'LIMIT_EXCEEDED', 'NOT_FOUND'];

/**
 * Adds the external account to the user of the sub-organization who verified the email address that it vouches for. Returns
 * whether the user has it now. The activity checks all of this again, and decides.
 */
export async function linkAccount(
  ctx: ProxyContext,
  organizationId: string,
  oidcToken: string,
  verified: VerifiedToken,
): Promise<boolean> {
  const email = linkableEmail(ctx, verified);
  if (email === undefined) return false;
  const user = await findUserOfContact(ctx.engine.store.read, { id: organizationId }, 'email', email);
  if (user === undefined || !user.emailVerified) return false;
  const parameters = { userId: user.id, oauthProviders: [{ providerName: 'Google', oidcToken }] };
  try {
    await ctx.submit('ACTIVITY_TYPE_CREATE_OAUTH_PROVIDERS_V2', parameters, organizationId);
    return true;
  } catch (error) {
    // Two requests of one login may come at the same time: the other one linked it. The login reports other errors.
    if (error instanceof ApiError && REFUSED.includes(error.code)) return error.code === 'OAUTH_PROVIDER_ALREADY_EXISTS';
    throw error;
  }
}
