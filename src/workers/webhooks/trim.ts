import { uuidOf } from '../../base/ids.ts';
import { DAY, KEPT_MS } from '../../domain/webhooks/attempts.ts';
import { NEVER } from '../../model/send.ts';
import { MOST_KEPT, type WebhookDelivery, type WebhookQueue } from '../../model/webhook-delivery.ts';
import type { Writer } from '../../store/types.ts';
import { LATER_MS, LEASE_MS, type RoundParts, TRIM_EVERY_MS } from './round.ts';

/** Deliveries of one transaction. */
const BATCH = 500;
/** Above each id. */
const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

const GONE = 'given up: its endpoint was deleted';
const tooMany = (most: number): string => `given up: more than ${most} deliveries of its endpoint waited`;
const TOO_OLD = `given up: its endpoint took none for ${KEPT_MS / DAY} days`;

type TrimParts = Pick<RoundParts, 'store' | 'clock' | 'owner'>;

const firstIdOf = (ms: number): string => uuidOf(ms, '0'.repeat(64));

/** The oldest deliveries: those that are too many, or if there are none, those that are too old. */
function surplus(
  tx: Writer,
  { organizationId, endpointId }: WebhookQueue,
  over: number,
  now: number,
): Promise<WebhookDelivery[]> {
  const [before, limit] = over > 0 ? [LAST_ID, Math.min(over, BATCH)] : [firstIdOf(now - KEPT_MS), BATCH];
  return tx.webhookDeliveries.pendingBefore(organizationId, endpointId, before, limit);
}

/** Gives up some deliveries of an endpoint that takes none. Returns how many. Undefined if another process has the endpoint. */
export function dropSome(
  { store, clock, owner }: TrimParts,
  queue: WebhookQueue,
  isGone: boolean,
  most = MOST_KEPT,
): Promise<number | undefined> {
  return store.transaction(async (tx) => {
    const now = clock.now();
    if (!(await tx.webhookQueues.hold(queue, owner, now + LEASE_MS))) return undefined;
    const { pending } = (await tx.webhookQueues.get(queue.organizationId, queue.endpointId))!;
    const over = isGone ? Math.max(pending, 1) : pending - most;
    const found = await surplus(tx, queue, over, now);
    const lastError = isGone ? GONE : over > 0 ? tooMany(most) : TOO_OLD;
    for (const delivery of found) await tx.webhookDeliveries.end(delivery, 'DEAD', now, { lastError });
    return found.length;
  });
}

/** Releases an endpoint that is paused or gone, once nothing of it is left to give up. */
export async function park(parts: TrimParts, queue: WebhookQueue, isGone: boolean, most = MOST_KEPT): Promise<void> {
  for (let dropped: number | undefined = BATCH; dropped !== 0; ) {
    dropped = await dropSome(parts, queue, isGone, most);
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
