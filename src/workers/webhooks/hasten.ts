import { BACKGROUND_MS } from '../../base/background.ts';
import type { Receiver } from '../../model/webhook.ts';
import { hasRetriesToHasten, type WebhookDelivery, type WebhookQueue } from '../../model/webhook-delivery.ts';
import { LEASE_MS, type RoundParts } from './round.ts';

/** Deliveries of one transaction: an endpoint can have very many, and others write beside. */
const BATCH = 500;

type Parts = Pick<RoundParts, 'store' | 'clock' | 'owner'>;

/** Makes the retries of an endpoint that works again due. Returns its queue, or undefined if another process has it. */
export async function hasten(
  { store, clock, owner, isClosed }: Parts & { isClosed(): boolean },
  queue: WebhookQueue,
): Promise<WebhookQueue | undefined> {
  const { organizationId, endpointId } = queue;
  let after = clock.now();
  let found: WebhookQueue | undefined = queue;
  while (found !== undefined && hasRetriesToHasten(found) && !isClosed()) {
    const from = after;
    // It may run twice, so it changes nothing outside.
    const done = await store.transaction(async (tx) => {
      const now = clock.now();
      if (!(await tx.webhookQueues.hold(queue, owner, now + LEASE_MS))) return undefined;
      const held = (await tx.webhookQueues.get(organizationId, endpointId))!;
      const changedAt = (await tx.webhookEndpoints.get(organizationId, endpointId))?.updatedAt ?? 0;
      // Those that are due until now were written, or need no write.
      const next = await tx.webhookDeliveries.hasten(held, { now, after: Math.max(from, now), changedAt, limit: BATCH });
      if (next !== undefined) return { queue: held, after: next };
      await tx.webhookQueues.change(held, { failingSince: null });
      return { queue: { ...held, failingSince: null }, after: now };
    }, BACKGROUND_MS);
    found = done?.queue;
    after = done?.after ?? after;
  }
  return found;
}

/** Deliveries that were tried before their endpoint was changed or resumed: their attempts count anew. Undefined if another process has them. */
export async function beganAfresh(
  { store, clock, owner }: Parts,
  queue: WebhookQueue,
  { updatedAt }: Receiver,
  deliveries: readonly WebhookDelivery[],
): Promise<readonly WebhookDelivery[] | undefined> {
  const old = deliveries.filter(
    ({ attempts, lastAttemptAt }) => attempts > 0 && lastAttemptAt !== null && lastAttemptAt < updatedAt,
  );
  if (old.length === 0) return deliveries;
  const isHeld = await store.transaction(async (tx) => {
    if (!(await tx.webhookQueues.hold(queue, owner, clock.now() + LEASE_MS))) return false;
    const ids = old.map(({ id }) => id);
    await tx.webhookDeliveries.beginAfresh(queue.organizationId, ids);
    return true;
  }, BACKGROUND_MS);
  return isHeld ? deliveries.map((one) => (old.includes(one) ? { ...one, attempts: 0, firstAttemptAt: null } : one)) : undefined;
}
