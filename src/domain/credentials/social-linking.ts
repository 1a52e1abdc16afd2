import { errorsOf } from '../../base/declared-errors.ts';
import { ApiError } from '../../base/errors.ts';
import type { ExecuteContext } from '../../engine/context.ts';
import { badToken } from '../../login/oidc/token.ts';
import { isProxy } from '../../model/auth-proxy.ts';
import { emailKey } from '../../model/contacts.ts';
import type { User } from '../../model/user.ts';
import type { VerifiedProvider } from './oauth-providers.ts';

type Ctx = Pick<ExecuteContext<'none'>, 'store' | 'organization' | 'submitter'>;

/**
 * Limits the providers that the auth proxy may add to a user without further approval:
 * - The account's issuer must vouch for exactly the email address that the user verified.
 * - It must vouch for an application that the proxy's configuration names.
 *
 * Without the first condition, a stranger could sign up with another person's address, and then get that person's logins.
 * Callers other than the proxy are not restricted.
 */
export async function requireLinkable(
  { store, submitter, organization }: Ctx,
  user: User,
  providers: readonly VerifiedProvider[],
  field: string,
): Promise<void> {
  if (!isProxy(submitter)) return;
  const { id } = submitter.organization;
  if (organization.parentId !== id)
    throw new ApiError(
      'REQUEST_NOT_AUTHORIZED',
      'request not authorized: the auth proxy adds providers only in sub-organizations',
    );
  const config = await store.authProxyConfigs.ofOrganization(id);
  const audiences = config?.settings.socialLinkingClientIds ?? [];
  for (const [i, { token }] of providers.entries()) {
    const email = token !== undefined && audiences.includes(token.audience) ? token.verifiedEmail : undefined;
    const isTheirs = email !== undefined && user.email !== null && user.emailVerified && emailKey(email) === emailKey(user.email);
    if (!isTheirs)
      throw badToken(
        `${field}[${i}].oidcToken`,
        'cannot be linked to this user: it needs the verified email address of the user and an audience in socialLinkingClientIds',
      );
  }
}
requireLinkable.errors = errorsOf('REQUEST_NOT_AUTHORIZED', 'INVALID_OIDC_TOKEN');
