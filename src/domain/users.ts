import { invalid } from '../base/errors.ts';
import { featureIsOn, type Organization } from '../model/organization.ts';
import { newUser } from '../model/user.ts';
import type { NewUser } from '../wire/users.ts';
import { addApiKeys } from './api-keys.ts';
import type { Ctx } from './context.ts';
import { requireRoom } from './limits.ts';
import { addTags } from './tags.ts';

/** Every user needs a lasting way to authenticate: a long-lived key, or a contact whose login method is enabled. */
function requireWayIn(organization: Organization, user: NewUser, field: string): void {
  if (user.apiKeys.some((key) => key.expirationSeconds === undefined)) return;
  if (user.userEmail !== undefined && featureIsOn(organization, 'FEATURE_NAME_EMAIL_AUTH', 'FEATURE_NAME_OTP_EMAIL_AUTH')) return;
  if (user.userPhoneNumber !== undefined && featureIsOn(organization, 'FEATURE_NAME_SMS_AUTH')) return;
  throw invalid(
    field,
    'user must have at least one valid credential: an API key that does not expire, or an email or phone number whose login method is enabled in the organization',
  );
}

/** Creates users with their credentials and tags; returns their ids in order. */
export async function addUsers(
  ctx: Ctx,
  organization: Organization,
  users: readonly NewUser[],
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
      createdAt: ctx.now,
    });
    await ctx.store.users.insert(user);
    await addApiKeys(ctx, user, wanted.apiKeys, `${at}.apiKeys`);
    await addTags(ctx, organization.id, 'user', user.id, wanted.userTags ?? [], `${at}.userTags`);
    ids.push(user.id);
  }
  return ids;
}
