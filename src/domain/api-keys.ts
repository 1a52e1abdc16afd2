import { ApiError, invalid } from '../base/errors.ts';
import { apiKeyCredential } from '../login/api-keys.ts';
import { isExpired, type User } from '../model/user.ts';
import type { NewApiKey } from '../wire/credentials.ts';
import type { Ctx } from './context.ts';

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
