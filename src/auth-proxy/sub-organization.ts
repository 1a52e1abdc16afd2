import { ApiError, invalid, noOrganization } from '../base/errors.ts';
import { storedForms } from '../domain/people/sub-organizations.ts';
import type { Organization } from '../model/organization.ts';
import type { VerificationToken } from '../model/token.ts';
import { oldestAccount } from './account-of-token.ts';
import type { ProxyContext } from './declare.ts';

type Asking = Pick<ProxyContext, 'engine' | 'organization' | 'now'>;

/**
 * The sub-organization that a request names. Undefined if it names none, or its application's own organization, whose users do
 * not log in here. Throws ORGANIZATION_NOT_FOUND, also for organizations of other applications.
 */
export async function namedSubOrganization(
  { engine, organization }: Asking,
  id: string | undefined,
): Promise<Organization | undefined> {
  if (id === undefined || id === organization.id) return undefined;
  const named = await engine.store.read.organizations.get(id);
  if (named?.parentId !== organization.id) throw noOrganization(id);
  return named;
}

/** The contents of a verification token of this application. Throws REQUEST_INVALID. */
export async function readToken({ engine, organization, now }: Asking, text: string): Promise<VerificationToken> {
  const token = await engine.tokens(text);
  if (token === undefined || token.organizationId !== organization.id)
    throw invalid('verificationToken', 'is not a verification token of this application');
  if (token.expiresAt <= now) throw invalid('verificationToken', 'has expired: verify the contact again');
  return token;
}

/**
 * The account where the holder of a token logs in: the first sub-organization whose user verified this contact. A
 * sub-organization with only the unverified contact is not theirs: any caller may have signed up with it.
 */
export async function accountOfContact(ctx: Asking, { type, contact }: VerificationToken): Promise<string> {
  const attribute = type === 'OTP_TYPE_EMAIL' ? 'EMAIL' : 'PHONE_NUMBER';
  const found = await oldestAccount(ctx, { by: `VERIFIED_${attribute}`, values: storedForms(attribute, contact) });
  if (found !== undefined) return found;
  throw new ApiError(
    'FORBIDDEN',
    'authentication failed: no user has verified the contact of this token: sign up first, or name the organization of an unverified contact',
  );
}
