import { errorsOf } from '../../base/declared-errors.ts';
import { ApiError, invalid } from '../../base/errors.ts';
import { type ApiKeyCurve, parseStampPublicKey } from '../../crypto/stamp.ts';
import type { ExecuteContext } from '../../engine/context.ts';
import { REGISTRATIONS, thatCount } from '../../engine/request/caller.ts';
import { isProxy } from '../../model/auth-proxy.ts';
import { vouchFor } from '../credentials/oauth-providers.ts';
import { storedForms } from './sub-organizations.ts';
import type { UserToMake, VerifiedUser } from './users.ts';

type Ctx = Pick<ExecuteContext<'none'>, 'store' | 'organization' | 'submitter'>;

/** Rows of a deleted organization may be left. They are told apart from others only if there are fewer than this. */
const ENOUGH = 10;

/** Curves of external wallets, whose public keys are readable on a chain. */
const OF_WALLETS: readonly string[] = ['API_KEY_CURVE_SECP256K1', 'API_KEY_CURVE_ED25519'];

/**
 * For `prepare`: through the auth proxy, a wallet's key must be its user's only way to log in. The sign-up does not prove that
 * the user owns the key. A stranger could sign up with it beside a login method of their own. The wallet's owner would later
 * find the stranger's account by the key.
 */
export function requireWalletAlone(ctx: Pick<Ctx, 'submitter'>, users: readonly UserToMake[], field: string): void {
  if (!isProxy(ctx.submitter)) return;
  for (const [i, { apiKeys, authenticators, oauthProviders, userEmail, userPhoneNumber }] of users.entries()) {
    const wallet = apiKeys.findIndex(({ curveType }) => OF_WALLETS.includes(curveType));
    if (wallet === -1) continue;
    const isAlone = apiKeys.length + authenticators.length + oauthProviders.length === 1 && !userEmail && !userPhoneNumber;
    if (!isAlone)
      throw invalid(
        `${field}[${i}].apiKeys[${wallet}]`,
        'is the key of a wallet, and must be the only credential of a sign-up: log in with it, then add other credentials and contacts',
      );
  }
}
requireWalletAlone.errors = errorsOf('REQUEST_INVALID');

const taken = (field: string, what: string) => invalid(field, `is ${what} of an existing account: log in`);

/** Whether a sub-organization has a user who verified the contact. */
async function isVerified({ store, organization }: Ctx, attribute: 'EMAIL' | 'PHONE_NUMBER', contact: string): Promise<boolean> {
  const filter = { by: `VERIFIED_${attribute}`, values: storedForms(attribute, contact) } as const;
  return (await store.organizations.subOrganizationIds(organization.id, filter, { limit: 1 })).length > 0;
}

async function requireNewCredentials(ctx: Ctx, user: VerifiedUser, at: string): Promise<void> {
  const { credentials, authenticators, oauthProviders } = ctx.store;
  const { id } = ctx.organization;
  for (const [i, { publicKey, curveType }] of user.apiKeys.entries()) {
    const key = parseStampPublicKey(curveType as ApiKeyCurve, publicKey);
    if (key === undefined) continue;
    const registered = await credentials.inSubOrganizations(id, key, REGISTRATIONS);
    const counted = await thatCount(ctx.store, ctx.organization, registered);
    if (counted.length > 0 || registered.length === REGISTRATIONS) throw taken(`${at}.apiKeys[${i}].publicKey`, 'a key');
  }
  for (const [i, { credentialId }] of user.passkeys.entries())
    if ((await authenticators.inSubOrganizations(id, credentialId, ENOUGH)).length > 0)
      throw taken(`${at}.authenticators[${i}].attestation.credentialId`, 'a passkey');
  for (const [i, { identity }] of user.providers.entries()) {
    if ((await oauthProviders.inSubOrganizations(id, identity, ENOUGH)).length === 0) continue;
    const description = 'is that of an existing account: log in';
    throw new ApiError('OAUTH_PROVIDER_ALREADY_EXISTS', undefined, {
      violations: [{ field: `${at}.oauthProviders[${i}]`, description }],
    });
  }
}

/**
 * A sign-up through the auth proxy must not duplicate an existing account. Two accounts with one credential, or with one
 * verified contact, would lock each other out. An organization's own backend may make any number. The activity holds the
 * organization's row, so no other sign-up runs meanwhile.
 */
export async function requireNewPerson(ctx: Ctx, users: readonly VerifiedUser[], field: string): Promise<void> {
  if (!isProxy(ctx.submitter)) return;
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
requireNewPerson.errors = errorsOf('REQUEST_INVALID', 'OAUTH_PROVIDER_ALREADY_EXISTS');
