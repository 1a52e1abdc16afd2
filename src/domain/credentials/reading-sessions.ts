import { isReading } from '../../model/session-profile.ts';
import type { Ctx } from '../context.ts';

/**
 * Ends the user's sessions under the profile *read*, when a lasting credential is deleted. A thief of that credential may have
 * made one of them, without any approval.
 */
export async function endReadingSessions(
  { store, now }: Pick<Ctx, 'store' | 'now'>,
  organizationId: string,
  userId: string,
): Promise<void> {
  for (const key of await store.credentials.expiring(organizationId, userId))
    if (isReading(key)) await store.credentials.remove(organizationId, key.id, now);
}
