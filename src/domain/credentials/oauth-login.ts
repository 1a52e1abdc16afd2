import { errorsOf } from '../../base/declared-errors.ts';
import { ApiError, invalid } from '../../base/errors.ts';
import type { OidcPort, VerifiedToken } from '../../engine/ports.ts';
import type { Organization } from '../../model/organization.ts';
import type { User } from '../../model/user.ts';
import type { Writer } from '../../store/types.ts';
import { markEmailVerified } from '../people/user-changes.ts';

const FIELD = 'parameters.oidcToken';

type Verifying = { oidc: OidcPort; organization: Organization; now: number };

/**
 * Verifies the token of a login, for `prepare`: asks its issuer. `boundTo`: the key that the login is for, as it was sent. The
 * token is not valid with another key. Throws INVALID_OIDC_TOKEN, REQUEST_INVALID and `Unreachable`.
 */
export async function verifyLogin(
  { oidc, organization, now }: Verifying,
  token: string,
  boundTo: string,
): Promise<VerifiedToken> {
  const { parentId: payer } = organization;
  if (payer === null)
    throw invalid(
      'organizationId',
      'OAUTH disallowed: only users of sub-organizations log in by OAuth. Name the sub-organization',
    );
  const [verified] = await oidc.verify([{ token, field: FIELD }], { now, payer, boundTo });
  return verified!;
}
verifyLogin.errors = errorsOf('REQUEST_INVALID', 'INVALID_OIDC_TOKEN');

/**
 * The user whom a verified token identifies. Marks their email address as verified, if the token vouches for it. Throws
 * FORBIDDEN.
 */
export async function userOfToken(
  ctx: { store: Writer; organization: Organization; now: number },
  token: VerifiedToken,
): Promise<User> {
  const { store, organization } = ctx;
  const provider = await store.oauthProviders.byIdentity(organization.id, token);
  const user = provider && (await store.users.get(organization.id, provider.userId));
  if (user === undefined)
    throw new ApiError(
      'FORBIDDEN',
      'authentication failed: no user of this organization has an OAuth provider with the issuer, audience and subject of this token',
    );
  if (token.verifiedEmail !== undefined) await markEmailVerified(ctx, user, token.verifiedEmail);
  return user;
}
userOfToken.errors = errorsOf('FORBIDDEN');
