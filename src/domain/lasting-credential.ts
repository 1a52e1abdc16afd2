import { invalid } from '../base/errors.ts';
import { featureIsOn, type Organization } from '../model/organization.ts';
import type { User } from '../model/user.ts';
import type { Reader } from '../store/types.ts';

type Reads = Pick<Reader, 'credentials' | 'authenticators' | 'oauthProviders'>;

/** Throws if a user has nothing left to authenticate with for good. Called when credentials were taken away. `field`: names them. */
export async function requireLastingCredential(
  read: Reads,
  organization: Organization,
  user: User,
  field: string,
): Promise<void> {
  if (user.email !== null && featureIsOn(organization, 'FEATURE_NAME_EMAIL_AUTH', 'FEATURE_NAME_OTP_EMAIL_AUTH')) return;
  if (user.phone !== null && featureIsOn(organization, 'FEATURE_NAME_SMS_AUTH')) return;
  const { organizationId, id } = user;
  if ((await read.credentials.listByUser(organizationId, id)).some(({ expiresAt }) => expiresAt === null)) return;
  if ((await read.authenticators.listByUser(organizationId, id)).length > 0) return;
  if ((await read.oauthProviders.listByUser(organizationId, id)).length > 0) return;
  throw invalid(field, 'user must have at least one valid credential: add another one first');
}
