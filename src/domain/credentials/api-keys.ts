import { errorsOf } from '../../base/declared-errors.ts';
import { ApiError, invalid } from '../../base/errors.ts';
import { parseStampPublicKey } from '../../crypto/stamp.ts';
import { apiKeyCredential } from '../../login/api-keys.ts';
import { isReading } from '../../model/session-profile.ts';
import { type Credential, type ExpiringKey, isExpired, type User } from '../../model/user.ts';
import type { NewApiKey } from '../../wire/credentials.ts';
import type { Ctx } from '../context.ts';

/** The public key of a P-256 API key as it is stored. Throws REQUEST_INVALID. */
export function p256KeyOf(text: string, field: string): string {
  const key = parseStampPublicKey('API_KEY_CURVE_P256', text);
  if (key === undefined) throw invalid(field, 'is not a P-256 public key: send a compressed point in hex');
  return key;
}
p256KeyOf.errors = errorsOf('REQUEST_INVALID');

const exceeded = (sort: string, limit: number, setting: string) =>
  new ApiError('LIMIT_EXCEEDED', `user has exceeded maximum ${sort} api keys: at most ${limit} (${setting})`);

/**
 * How many new keys count against each of the user's two limits. `mailed`: the type of a key that is mailed. Any caller may
 * request such a key.
 */
type Room = { longLived: number; expiring: number; mailed?: string | undefined };

/** Per user, as of read-only sessions: keys of the built-in profile *read*. Any caller may make them, so they end no other key. */
const MOST_READING = 10;

/**
 * Enforces a user's limits of long-lived and of expiring keys, whether they are made as API keys or by logins.
 * - A long-lived key beyond its limit is refused.
 * - For an expiring key, expired keys are removed first, then the oldest.
 * - A mailed key replaces another mailed one before that. A caller who requests many mails must not end the sessions of their
 *   addressee.
 * - Keys that only read have places of their own: see `makeRoomToRead`.
 *
 * `mine`: the user's current keys. If only expiring ones are added, the expiring ones are enough.
 */
export async function makeRoom(
  { store, limits, now }: Ctx,
  user: User,
  mine: readonly ExpiringKey[],
  { longLived, expiring, mailed }: Room,
): Promise<void> {
  const ending = mine.filter((c) => c.expiresAt !== null && !isReading(c));
  const lasting = mine.filter((c) => c.expiresAt === null);
  if (longLived > 0 && lasting.length + longLived > limits.longLivedApiKeys)
    throw exceeded('long-lived', limits.longLivedApiKeys, 'LIMIT_LONG_LIVED_API_KEYS');
  if (expiring > limits.expiringApiKeys) throw exceeded('short-lived', limits.expiringApiKeys, 'LIMIT_EXPIRING_API_KEYS');
  const tooMany = expiring === 0 ? 0 : Math.max(0, ending.length + expiring - limits.expiringApiKeys);
  const rank = (key: ExpiringKey) => (isExpired(key, now) ? 0 : key.type === mailed ? 1 : 2);
  const oldestFirst = ending.toSorted((a, b) => rank(a) - rank(b) || (a.id < b.id ? -1 : 1));
  for (const { id } of oldestFirst.slice(0, tooMany)) await store.credentials.remove(user.organizationId, id, now);
}
makeRoom.errors = errorsOf('LIMIT_EXCEEDED');

/** Makes room for one more key that only reads: expired ones leave, then the oldest. */
export async function makeRoomToRead({ store, now }: Ctx, user: User, mine: readonly ExpiringKey[]): Promise<void> {
  const reading = mine.filter(isReading);
  const kept = reading.filter((key) => !isExpired(key, now)).slice(1 - MOST_READING);
  for (const key of reading) if (!kept.includes(key)) await store.credentials.remove(user.organizationId, key.id, now);
}

/** Stores a credential, once there is room for it. `field`: where the request has its public key. */
export async function addCredential({ store }: Pick<Ctx, 'store'>, credential: Credential, field: string): Promise<void> {
  if (!(await store.credentials.insert(credential)))
    throw invalid(field, 'this organization already has a credential with this public key');
}
addCredential.errors = errorsOf('REQUEST_INVALID');

/**
 * Adds API keys to a user; returns their ids. A request may have more expiring keys than a user may have. Then the last ones
 * stay, as if each came in its own request.
 */
export async function addApiKeys(ctx: Ctx, user: User, keys: readonly NewApiKey[], field: string): Promise<string[]> {
  const most = Math.max(1, ctx.limits.expiringApiKeys);
  const expiring = keys.filter((key) => key.expirationSeconds !== undefined).length;
  const mine = await ctx.store.credentials.listByUser(user.organizationId, user.id);
  await makeRoom(ctx, user, mine, { longLived: keys.length - expiring, expiring: Math.min(expiring, most) });
  const ids: string[] = [];
  const ending: string[] = [];
  for (const [i, key] of keys.entries()) {
    const credential = apiKeyCredential(user, ctx.ids.next(), ctx.now, key, `${field}[${i}]`);
    await addCredential(ctx, credential, `${field}[${i}].publicKey`);
    if (credential.expiresAt !== null) ending.push(credential.id);
    ids.push(credential.id);
  }
  for (const id of ending.slice(0, -most)) await ctx.store.credentials.remove(user.organizationId, id, ctx.now);
  return ids;
}
addApiKeys.errors = errorsOf(addCredential, makeRoom);
