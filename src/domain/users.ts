import { invalid } from '../base/errors.ts';
import type { Organization } from '../model/organization.ts';
import { newUser, type Passkey } from '../model/user.ts';
import type { NewUser } from '../wire/users.ts';
import { addApiKeys } from './api-keys.ts';
import { addAuthenticators, type Verifying as VerifyingPasskeys, verifyAuthenticators } from './authenticators.ts';
import type { Ctx } from './context.ts';
import { contactLetsIn, providersLetIn } from './lasting-credential.ts';
import { requireRoom } from './limits.ts';
import {
  addOauthProviders,
  type VerifiedProvider,
  type Verifying as VerifyingProviders,
  verifyOauthProviders,
  vouchFor,
} from './oauth-providers.ts';
import { addTags } from './tags.ts';

/** Every user needs a lasting way to authenticate: a long-lived key, a passkey, an OAuth provider, or a contact whose login method is enabled. */
function requireWayIn(organization: Organization, user: NewUser, field: string): void {
  if (user.authenticators.length > 0 || user.apiKeys.some((key) => key.expirationSeconds === undefined)) return;
  if (providersLetIn(organization, user.oauthProviders)) return;
  if (contactLetsIn(organization, { email: user.userEmail, phone: user.userPhoneNumber })) return;
  throw invalid(
    field,
    'user must have at least one valid credential: an API key that does not expire, a passkey, an OAuth provider, or an email or phone number whose login method is enabled in the organization',
  );
}

/** A user to be created, whose credentials were verified. */
export type VerifiedUser = NewUser & { passkeys: readonly Passkey[]; providers: readonly VerifiedProvider[] };

/** Verifies the credentials of users to be created, for `prepare`. */
export async function verifyUsers<U extends NewUser>(
  ctx: VerifyingPasskeys & VerifyingProviders,
  users: readonly U[],
  field: string,
): Promise<(U & VerifiedUser)[]> {
  const verified: (U & VerifiedUser)[] = [];
  for (const [i, user] of users.entries()) {
    const passkeys = await verifyAuthenticators(ctx, user.authenticators, `${field}[${i}].authenticators`);
    verified.push({ ...user, passkeys, providers: [] });
  }
  // Last, because others are asked.
  const wanted = users.map((user, i) => ({ providers: user.oauthProviders, field: `${field}[${i}].oauthProviders` }));
  for (const [i, providers] of (await verifyOauthProviders(ctx, wanted)).entries()) verified[i]!.providers = providers;
  return verified;
}

/** Creates users with their credentials and tags; returns their ids in order. */
export async function addUsers(
  ctx: Ctx,
  organization: Organization,
  users: readonly VerifiedUser[],
  field: string,
): Promise<string[]> {
  const { users: limit } = ctx.limits;
  requireRoom(await ctx.store.organizations.count(organization.id, 'userCount'), users.length, limit, 'users', 'LIMIT_USERS');
  const ids: string[] = [];
  for (const [i, wanted] of users.entries()) {
    const at = `${field}[${i}]`;
    requireWayIn(organization, wanted, at);
    const user = newUser({
      organizationId: organization.id,
      id: ctx.ids.next(),
      parentId: organization.parentId,
      name: wanted.userName,
      email: wanted.userEmail ?? null,
      phone: wanted.userPhoneNumber ?? null,
      emailVerified: vouchFor(wanted.providers, wanted.userEmail ?? null),
      createdAt: ctx.now,
    });
    await ctx.store.users.insert(user);
    await addApiKeys(ctx, user, wanted.apiKeys, `${at}.apiKeys`);
    await addAuthenticators(ctx, user, wanted.passkeys, `${at}.authenticators`);
    await addOauthProviders(ctx, user, wanted.providers, `${at}.oauthProviders`);
    await addTags(ctx, organization.id, 'user', user.id, wanted.userTags ?? [], `${at}.userTags`);
    ids.push(user.id);
  }
  return ids;
}
