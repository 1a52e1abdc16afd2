import { errorsOf } from '../../base/declared-errors.ts';
import { invalid } from '../../base/errors.ts';
import { featureIsOn, type Organization } from '../../model/organization.ts';
import type { User } from '../../model/user.ts';
import type { Reader } from '../../store/types.ts';

/** The user's ways to sign in: the number of credentials that do not expire, and contacts. */
export type LoginMeans = Pick<User, 'accessType' | 'email' | 'phone'> & {
  apiKeys: number;
  passkeys: number;
  oauthProviders: number;
};

/** The features that let a user sign in by a contact. */
const BY_EMAIL = ['FEATURE_NAME_EMAIL_AUTH', 'FEATURE_NAME_OTP_EMAIL_AUTH'] as const;
const BY_PHONE = ['FEATURE_NAME_SMS_AUTH'] as const;

const NONE = 'user must have at least one valid credential';

/** What the user lacks, or undefined. A contact counts if its login method is enabled. */
function missing(
  organization: Organization,
  { accessType, email, phone, apiKeys, passkeys, oauthProviders }: LoginMeans,
): string | undefined {
  if (accessType === 'ACCESS_TYPE_WEB' && passkeys === 0)
    return `${NONE}: its access type is ${accessType}, so it must have a passkey`;
  if (accessType === 'ACCESS_TYPE_API' && apiKeys === 0)
    return `${NONE}: its access type is ${accessType}, so it must have an API key that does not expire`;
  if (apiKeys + passkeys > 0) return undefined;
  // No user logs in to a top-level organization by an OAuth provider.
  if (organization.parentId !== null && oauthProviders > 0) return undefined;
  if (email !== null && featureIsOn(organization, ...BY_EMAIL)) return undefined;
  if (phone !== null && featureIsOn(organization, ...BY_PHONE)) return undefined;
  return `${NONE}: an API key that does not expire, a passkey, an OAuth provider, or an email or phone number with an enabled login method`;
}

/** Every user needs a lasting way to authenticate. */
export function requireLastingLogin(organization: Organization, ways: LoginMeans, field: string): void {
  const lacks = missing(organization, ways);
  if (lacks !== undefined) throw invalid(field, lacks);
}
requireLastingLogin.errors = errorsOf('REQUEST_INVALID');

/** The same for a stored user from whom a credential or contact was removed in this transaction. `field` named it. */
export async function requireLastingLoginLeft(
  read: Reader,
  organization: Organization,
  userId: string,
  field: string,
): Promise<void> {
  const user = await read.users.get(organization.id, userId);
  if (user === undefined) throw new Error(`no user ${userId}`);
  const credentials = await read.credentials.listByUser(organization.id, userId);
  const apiKeys = credentials.filter(({ expiresAt }) => expiresAt === null).length;
  const passkeys = (await read.authenticators.listByUser(organization.id, userId)).length;
  const oauthProviders = (await read.oauthProviders.listByUser(organization.id, userId)).length;
  requireLastingLogin(organization, { ...user, apiKeys, passkeys, oauthProviders }, field);
}
requireLastingLoginLeft.errors = errorsOf(requireLastingLogin);

/**
 * The same for the root users, before a feature is switched off: no other user could let them in again. `field` named the
 * feature. A root user can help other users.
 */
export async function requireRootsCanLogIn(
  read: Reader,
  organization: Organization,
  without: string,
  field: string,
): Promise<void> {
  const logins: readonly string[] = [...BY_EMAIL, ...BY_PHONE];
  if (!logins.includes(without) || !featureIsOn(organization, without)) return;
  const { [without]: _, ...features } = organization.features;
  for (const id of organization.rootQuorum.userIds) await requireLastingLoginLeft(read, { ...organization, features }, id, field);
}
requireRootsCanLogIn.errors = errorsOf(requireLastingLoginLeft);
