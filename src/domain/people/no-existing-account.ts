import { ApiError, invalid } from '../../base/errors.ts';
import { type ApiKeyCurve, parseStampPublicKey } from '../../crypto/stamp.ts';
import type { ExecuteContext } from '../../engine/context.ts';
import { REGISTRATIONS, thatCount } from '../../engine/request/caller.ts';
import { isProxy } from '../../model/auth-proxy.ts';
import { vouchFor } from '../credentials/oauth-providers.ts';
import { storedForms } from './sub-organizations.ts';
import type { UserToMake, VerifiedUser } from './users.ts';

type Ctx = Pick<ExecuteContext<'none'>, 'store' | 'organization' | 'submitter'>;

/** Rows of an organization that was deleted may be left: those are told from others only if there are fewer. */
const ENOUGH = 10;

/** Curves of wallets elsewhere, whose public keys anybody reads from a chain. */
const OF_WALLETS: readonly string[] = ['API_KEY_CURVE_SECP256K1', 'API_KEY_CURVE_ED25519'];

/**
 * For `prepare`: through the auth proxy a wallet's key is its user's only way in. Nobody shows that it is theirs: a stranger who signs up
 * with it beside a way of their own would have the account that the wallet's owner finds by it later.
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
        'is the key of a wallet, which signs up alone: log in with it, and add other keys, passkeys, accounts and contacts then',
      );
  }
}

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
