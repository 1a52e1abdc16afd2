import { ApiError, invalid, noOrganization } from '../base/errors.ts';
import { storedForms } from '../domain/people/sub-organizations.ts';
import type { Organization } from '../model/organization.ts';
import type { VerificationToken } from '../model/token.ts';
import { oldestAccount } from './account-of-token.ts';
import type { ProxyContext } from './declare.ts';

type Asking = Pick<ProxyContext, 'engine' | 'organization' | 'now'>;

/**
 * The sub-organization that a request names. Undefined if it names none, or its application's own organization, whose users do not log
 * in here. Throws ORGANIZATION_NOT_FOUND, also for organizations of others.
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

/** What a verification token of this application says. Throws REQUEST_INVALID. */
export function readToken({ engine, organization, now }: Asking, text: string): VerificationToken {
  const token = engine.tokens(text);
  if (token === undefined || token.organizationId !== organization.id)
    throw invalid('verificationToken', 'is no verification token of this application');
  if (token.expiresAt <= now) throw invalid('verificationToken', 'has expired: verify the contact again');
  return token;
}

/**
 * Where the holder of a token logs in: the sub-organization of whoever verified this contact first. One with the contact alone is not
 * theirs: anybody may have signed up with it.
 */
export async function accountOfContact(ctx: Asking, { type, contact }: VerificationToken): Promise<string> {
  const attribute = type === 'OTP_TYPE_EMAIL' ? 'EMAIL' : 'PHONE_NUMBER';
  const found = await oldestAccount(ctx, { by: `VERIFIED_${attribute}`, values: storedForms(attribute, contact) });
  if (found !== undefined) return found;
  throw new ApiError(
    'FORBIDDEN',
    'authentication failed: this verification token logs in no user: sign up first, or name the organization of an unverified contact',
  );
}
