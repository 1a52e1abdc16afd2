import { ApiError, invalid } from '../base/errors.ts';
import { type ApiKeyCurve, parseStampPublicKey } from '../crypto/stamp.ts';
import type { ExecuteContext } from '../engine/context.ts';
import { vouchFor } from './oauth-providers.ts';
import { storedForms } from './sub-organizations.ts';
import type { VerifiedUser } from './users.ts';

type Ctx = Pick<ExecuteContext<'none'>, 'store' | 'organization' | 'submitter'>;

/** Rows of an organization that was deleted may be left: those are told from others only if there are fewer. */
const ENOUGH = 10;

const taken = (field: string, what: string) => invalid(field, `is ${what} of an account that is there already: log in`);

/** Whether a sub-organization has somebody who verified the contact. */
async function isVerified({ store, organization }: Ctx, attribute: 'EMAIL' | 'PHONE_NUMBER', contact: string): Promise<boolean> {
  const filter = { by: `VERIFIED_${attribute}`, values: storedForms(attribute, contact) } as const;
  return (await store.organizations.subOrganizationIds(organization.id, filter, { limit: 1 })).length > 0;
}

async function requireNewCredentials(ctx: Ctx, user: VerifiedUser, at: string): Promise<void> {
  const { credentials, authenticators, oauthProviders } = ctx.store;
  const { id } = ctx.organization;
  for (const [i, { publicKey, curveType }] of user.apiKeys.entries()) {
    const key = parseStampPublicKey(curveType as ApiKeyCurve, publicKey);
    if (key !== undefined && (await credentials.inSubOrganizations(id, key, ENOUGH)).length > 0)
      throw taken(`${at}.apiKeys[${i}].publicKey`, 'a key');
  }
  for (const [i, { credentialId }] of user.passkeys.entries())
    if ((await authenticators.inSubOrganizations(id, credentialId, ENOUGH)).length > 0)
      throw taken(`${at}.authenticators[${i}].attestation.credentialId`, 'a passkey');
  for (const [i, { identity }] of user.providers.entries()) {
    if ((await oauthProviders.inSubOrganizations(id, identity, ENOUGH)).length === 0) continue;
    const description = 'is that of an account that is there already: log in';
    throw new ApiError('OAUTH_PROVIDER_ALREADY_EXISTS', undefined, {
      violations: [{ field: `${at}.oauthProviders[${i}]`, description }],
    });
  }
}

/**
 * Whoever signs up through the auth proxy is nobody who is there: two accounts with one credential, or with one verified contact, would
 * leave each other without a login. An organization's own backend may make as many as it likes. The activity holds the organization's
 * row, so nobody else signs up meanwhile.
 */
export async function requireNewPerson(ctx: Ctx, users: readonly VerifiedUser[], field: string): Promise<void> {
  if (ctx.submitter.user.id !== ctx.submitter.organization.proxyUserId) return;
  for (const [i, user] of users.entries()) {
    const at = `${field}[${i}]`;
    const { userEmail, userPhoneNumber } = user;
    const hasEmail = user.emailVerified === true || vouchFor(user.providers, userEmail);
    if (userEmail && hasEmail && (await isVerified(ctx, 'EMAIL', userEmail))) throw taken(`${at}.userEmail`, 'the email');
    if (userPhoneNumber && user.phoneVerified === true && (await isVerified(ctx, 'PHONE_NUMBER', userPhoneNumber)))
      throw taken(`${at}.userPhoneNumber`, 'the phone number');
    await requireNewCredentials(ctx, user, at);
  }
}
