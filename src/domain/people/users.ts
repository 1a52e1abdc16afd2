import { errorsOf } from '../../base/declared-errors.ts';
import type { Organization } from '../../model/organization.ts';
import { newUser, type Passkey, type User } from '../../model/user.ts';
import type { NewUser } from '../../wire/users.ts';
import type { Ctx } from '../context.ts';
import { addApiKeys } from '../credentials/api-keys.ts';
import { addAuthenticators, type Verifying as VerifyingPasskeys, verifyAuthenticators } from '../credentials/authenticators.ts';
import {
  addOauthProviders,
  type VerifiedProvider,
  type Verifying as VerifyingProviders,
  verifyOauthProviders,
  vouchFor,
} from '../credentials/oauth-providers.ts';
import { requireRoom } from '../limits/limits.ts';
import { contactsOf } from './contacts.ts';
import { requireLastingLogin } from './lasting-credentials.ts';
import { addTags } from './tags.ts';

/** `accessType`: ACCESS_TYPE_ALL unless given. A contact is verified if a part of the request proves it. */
type MoreOfUser = Partial<Pick<User, 'accessType' | 'emailVerified' | 'phoneVerified'>>;

export type UserToMake = NewUser & MoreOfUser;

/** A user to be created, whose credentials were verified. */
export type VerifiedUser = UserToMake & { passkeys: readonly Passkey[]; providers: readonly VerifiedProvider[] };

/** Verifies the credentials of users to be created, for `prepare`. */
export async function verifyUsers<U extends NewUser>(
  ctx: VerifyingPasskeys & VerifyingProviders,
  users: readonly U[],
  field: string,
): Promise<(U & VerifiedUser)[]> {
  const verified: (U & VerifiedUser)[] = [];
  // First, because verifying costs work, and asks other hosts.
  const present = await ctx.read.organizations.counted(ctx.organization.id, 'userCount');
  requireRoom(present, users.length, ctx.limits.users, 'users', 'LIMIT_USERS');
  for (const [i, user] of users.entries()) {
    const passkeys = await verifyAuthenticators(ctx, user.authenticators, `${field}[${i}].authenticators`);
    verified.push({ ...user, passkeys, providers: [] });
  }
  // Last, because it asks other hosts.
  const wanted = users.map((user, i) => ({ providers: user.oauthProviders, field: `${field}[${i}].oauthProviders` }));
  for (const [i, providers] of (await verifyOauthProviders(ctx, wanted)).entries()) verified[i]!.providers = providers;
  return verified;
}
/** With those of `addUsers` for providers: no other users have any. */
verifyUsers.errors = errorsOf(requireRoom, verifyAuthenticators, verifyOauthProviders, addOauthProviders);

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
    const user = newUser({
      organizationId: organization.id,
      id: ctx.ids.next(),
      parentId: organization.parentId,
      name: wanted.userName,
      ...contactsOf(wanted, at),
      accessType: wanted.accessType ?? 'ACCESS_TYPE_ALL',
      emailVerified: wanted.emailVerified || vouchFor(wanted.providers, wanted.userEmail),
      phoneVerified: wanted.phoneVerified ?? false,
      createdAt: ctx.now,
    });
    const apiKeys = wanted.apiKeys.filter(({ expirationSeconds }) => expirationSeconds === undefined).length;
    requireLastingLogin(
      organization,
      { ...user, apiKeys, passkeys: wanted.passkeys.length, oauthProviders: wanted.providers.length },
      at,
    );
    await ctx.store.users.insert(user);
    await addApiKeys(ctx, user, wanted.apiKeys, `${at}.apiKeys`);
    await addAuthenticators(ctx, user, wanted.passkeys, `${at}.authenticators`);
    await addOauthProviders(ctx, user, wanted.providers, `${at}.oauthProviders`);
    await addTags(ctx, organization.id, 'user', user.id, wanted.userTags ?? [], `${at}.userTags`);
    ids.push(user.id);
  }
  return ids;
}
addUsers.errors = errorsOf(contactsOf, addTags, requireRoom, requireLastingLogin, addApiKeys, addAuthenticators);
