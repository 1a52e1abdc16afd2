import { invalid } from '../base/errors.ts';
import type { ExecuteContext } from '../engine/context.ts';
import { featureIsOn, type Organization } from '../model/organization.ts';
import type { UserVersion } from '../model/user.ts';

/** Whether a contact lets its user log in: its login method is enabled in the organization. */
export const contactLetsIn = (
  organization: Organization,
  contact: { email: string | null | undefined; phone: string | null | undefined },
): boolean =>
  (typeof contact.email === 'string' && featureIsOn(organization, 'FEATURE_NAME_EMAIL_AUTH', 'FEATURE_NAME_OTP_EMAIL_AUTH')) ||
  (typeof contact.phone === 'string' && featureIsOn(organization, 'FEATURE_NAME_SMS_AUTH'));

/** Whether an OAuth provider lets its user log in: nobody logs in to a top-level organization by one. */
export const providersLetIn = ({ parentId }: Organization, providers: readonly unknown[]): boolean =>
  parentId !== null && providers.length > 0;

/** Whether a user has a credential that does not expire. */
const canComeBack = (
  organization: Organization,
  { user, credentials, authenticators = [], oauthProviders = [] }: UserVersion,
): boolean =>
  credentials.some(({ expiresAt }) => expiresAt === null) ||
  authenticators.length > 0 ||
  providersLetIn(organization, oauthProviders) ||
  contactLetsIn(organization, user);

/** Throws REQUEST_INVALID if the user is left without a lasting credential. For the end of a transaction that removed some. */
export async function requireLastingCredential(
  { organization, store }: Pick<ExecuteContext<'none'>, 'organization' | 'store'>,
  userId: string,
  field: string,
): Promise<void> {
  const state = await store.userStates.get(organization.id, userId);
  if (state !== undefined && canComeBack(organization, state)) return;
  throw invalid(field, 'user must have at least one valid credential: add another one first');
}
