import { uuidOf } from '../../base/ids.ts';
import { DAY, KEPT_MS, MOST_KEPT } from '../../domain/webhooks/attempts.ts';
import { NEVER } from '../../model/send.ts';
import type { WebhookDelivery, WebhookQueue } from '../../model/webhook-delivery.ts';
import type { Writer } from '../../store/types.ts';
import { LATER_MS, LEASE_MS, type RoundParts, TRIM_EVERY_MS } from './round.ts';

/** Deliveries of one transaction. */
const BATCH = 500;
/** Above each id. */
const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

const GONE = 'given up: its endpoint was deleted';
const TOO_MANY = `given up: more than ${MOST_KEPT} deliveries of its endpoint waited`;
const TOO_OLD = `given up: its endpoint took none for ${KEPT_MS / DAY} days`;

const firstIdOf = (ms: number): string => uuidOf(ms, '0'.repeat(64));

/** The oldest deliveries, of those that are too many or too old. All, if the endpoint is gone. */
async function surplus(tx: Writer, { organizationId, endpointId }: WebhookQueue, pending: number, now: number, isGone: boolean) {
  const over = isGone ? pending : pending - MOST_KEPT;
  const { webhookDeliveries } = tx;
  if (over > 0 || isGone)
    return webhookDeliveries.pendingBefore(organizationId, endpointId, LAST_ID, Math.min(Math.max(over, 1), BATCH));
  return webhookDeliveries.pendingBefore(organizationId, endpointId, firstIdOf(now - KEPT_MS), BATCH);
}

/** Gives up some deliveries of an endpoint that takes none. Returns how many. Undefined if another process has the endpoint. */
export function dropSome({ store, clock, owner }: RoundParts, queue: WebhookQueue, isGone: boolean): Promise<number | undefined> {
  return store.transaction(async (tx) => {
    const now = clock.now();
    if (!(await tx.webhookQueues.hold(queue, owner, now + LEASE_MS))) return undefined;
    const { pending } = (await tx.webhookQueues.get(queue.organizationId, queue.endpointId))!;
    const found: WebhookDelivery[] = await surplus(tx, queue, pending, now, isGone);
    const lastError = isGone ? GONE : pending > MOST_KEPT ? TOO_MANY : TOO_OLD;
    for (const delivery of found) await tx.webhookDeliveries.end(delivery, 'DEAD', now, { lastError });
    return found.length;
  });
}

/** Releases an endpoint that is paused or gone, once nothing of it is left to give up. */
export async function park(parts: RoundParts, queue: WebhookQueue, isGone: boolean): Promise<void> {
  for (let dropped: number | undefined = BATCH; dropped !== 0; ) {
    dropped = await dropSome(parts, queue, isGone);
    if (dropped === undefined) return;
  }
  const { store, clock, owner } = parts;
  await store.transaction(async (tx) => {
    if (!(await tx.webhookQueues.hold(queue, owner, clock.now() + LEASE_MS))) return;
    const { pending } = (await tx.webhookQueues.get(queue.organizationId, queue.endpointId))!;
    if (isGone && pending === 0) return tx.webhookQueues.remove(queue.organizationId, queue.endpointId);
    // Deliveries that were made before its deletion was seen are given up next.
    if (isGone) return tx.webhookQueues.release(queue, owner, clock.now() + LATER_MS);
    await tx.webhookQueues.release(queue, owner, pending > 0 ? clock.now() + TRIM_EVERY_MS : NEVER);
  });
}
