import type { Organization } from '../model/organization.ts';
import { newUser, type User } from '../model/user.ts';
import type { NewUser } from '../wire/users.ts';
import { addApiKeys } from './api-keys.ts';
import { contactsOf } from './contacts.ts';
import type { Ctx } from './context.ts';
import { requireRoom } from './limits.ts';
import { addTags } from './tags.ts';
import { requireWayIn } from './ways-in.ts';

/** A user to make. `accessType`: ACCESS_TYPE_ALL unless given; a contact is verified if something in the request shows that it is. */
export type UserToMake = NewUser & Partial<Pick<User, 'accessType' | 'emailVerified' | 'phoneVerified'>>;

/** Creates users with their credentials and tags; returns their ids in order. */
export async function addUsers(
  ctx: Ctx,
  organization: Organization,
  users: readonly UserToMake[],
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
      emailVerified: wanted.emailVerified ?? false,
      phoneVerified: wanted.phoneVerified ?? false,
      createdAt: ctx.now,
    });
    const lasting = wanted.apiKeys.filter(({ expirationSeconds }) => expirationSeconds === undefined).length;
    requireWayIn(organization, { ...user, apiKeys: lasting, passkeys: 0 }, at);
    await ctx.store.users.insert(user);
    await addApiKeys(ctx, user, wanted.apiKeys, `${at}.apiKeys`);
    await addTags(ctx, organization.id, 'user', user.id, wanted.userTags ?? [], `${at}.userTags`);
    ids.push(user.id);
  }
  return ids;
}
