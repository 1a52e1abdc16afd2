import type { OneTimeVault } from '../../custody/types.ts';
import { sessionSecret, writeSession } from '../../model/read-only-session.ts';
import type { Credential, User } from '../../model/user.ts';
import type { Ctx } from '../context.ts';

const SECONDS = 3600;

/** Per user. A new session replaces the oldest. */
const MOST = 10;

/** `sessionExpiry`: seconds since 1970. */
export async function newReadOnlySession(
  { store, ids, now, vault }: Pick<Ctx, 'store' | 'ids' | 'now'> & { vault: OneTimeVault },
  { organizationId, id: userId }: User,
  credential: Credential,
): Promise<{ session: string; sessionExpiry: string }> {
  const before = await store.readOnlySessions.listByUser(organizationId, userId);
  const kept = before.filter(({ expiresAt }) => expiresAt > now).slice(-(MOST - 1));
  for (const session of before) if (!kept.includes(session)) await store.readOnlySessions.remove(organizationId, session.id);
  const place = { organizationId, id: ids.next() };
  const { secret, hash } = vault.newSecret(sessionSecret(place));
  // A whole second, as the answer states it. A key that is valid for a minute gives a session of at most a minute.
  const expiry = Math.floor(Math.min(now + SECONDS * 1000, credential.expiresAt ?? Infinity) / 1000);
  const times = { expiresAt: expiry * 1000, createdAt: now };
  await store.readOnlySessions.insert({ ...place, userId, secret: hash, credentialId: credential.id, ...times });
  return { session: writeSession(place, secret), sessionExpiry: String(expiry) };
}
