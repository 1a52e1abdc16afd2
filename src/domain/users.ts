import { ApiError, invalid } from '../base/errors.ts';
import type { Ids } from '../base/ids.ts';
import { apiKeyCredential } from '../login/api-keys.ts';
import type { Limits } from '../model/limits.ts';
import type { Organization } from '../model/organization.ts';
import { featureIsOn } from '../model/organization.ts';
import { isExpired, newUser, type User } from '../model/user.ts';
import type { Writer } from '../store/types.ts';
import type { NewApiKey } from '../wire/credentials.ts';
import type { NewUser } from '../wire/users.ts';
import { requireRoom } from './limits.ts';

type Ctx = { store: Writer; ids: Ids; now: number; limits: Limits };

/**
 * Enforces a user's limits of long-lived and of expiring keys. A long-lived key beyond its limit
 * is refused. For an expiring key, expired keys are removed first, then the oldest.
 */
async function makeRoom(ctx: Ctx, user: User, keys: readonly NewApiKey[]): Promise<void> {
  const { store, limits, now } = ctx;
  const exceeded = (sort: string, limit: number, setting: string) =>
    new ApiError('LIMIT_EXCEEDED', `user has exceeded maximum ${sort} api keys: at most ${limit} (${setting})`);
  const all = await store.credentials.listByUser(user.organizationId, user.id);
  const mine = all.filter((c) => c.type.startsWith('CREDENTIAL_TYPE_API_KEY_'));
  const expiring = mine.filter((c) => c.expiresAt !== null);
  const newExpiring = keys.filter((key) => key.expirationSeconds !== undefined).length;
  const newLasting = keys.length - newExpiring;
  if (newLasting > 0 && mine.length - expiring.length + newLasting > limits.longLivedApiKeys)
    throw exceeded('long-lived', limits.longLivedApiKeys, 'LIMIT_LONG_LIVED_API_KEYS');
  if (newExpiring > limits.expiringApiKeys) throw exceeded('short-lived', limits.expiringApiKeys, 'LIMIT_EXPIRING_API_KEYS');
  const tooMany = newExpiring === 0 ? 0 : Math.max(0, expiring.length + newExpiring - limits.expiringApiKeys);
  const oldestFirst = expiring.toSorted(
    (a, b) => Number(isExpired(b, now)) - Number(isExpired(a, now)) || (a.id < b.id ? -1 : 1),
  );
  for (const { id } of oldestFirst.slice(0, tooMany)) await store.credentials.remove(user.organizationId, id, now);
}

/** Adds API keys to a user; returns their ids. */
export async function addApiKeys(ctx: Ctx, user: User, keys: readonly NewApiKey[], field: string): Promise<string[]> {
  await makeRoom(ctx, user, keys);
  const ids: string[] = [];
  for (const [i, key] of keys.entries()) {
    const credential = apiKeyCredential(user, ctx.ids.next(), ctx.now, key, `${field}[${i}]`);
    if (!(await ctx.store.credentials.insert(credential))) {
      throw invalid(`${field}[${i}].publicKey`, 'this organization has a credential with this public key already');
    }
    ids.push(credential.id);
  }
  return ids;
}

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

/** Adds existing tags to a new user or private key. */
export async function addTags(
  ctx: Ctx,
  organizationId: string,
  kind: 'user' | 'private_key',
  memberId: string,
  tagIds: readonly string[],
  field: string,
): Promise<void> {
  if (tagIds.length === 0) return;
  const known = await ctx.store.tags.existing(organizationId, kind, tagIds);
  const missing = tagIds.find((id) => !known.has(id));
  if (missing !== undefined)
    throw new ApiError('NOT_FOUND', `${kind === 'user' ? 'user' : 'private key'} tag not found: ${field} names ${missing}`);
  for (const id of known) await ctx.store.tags.add(organizationId, id, memberId, ctx.now);
}
