import { BACKGROUND_MS } from '../../base/background.ts';
import type { Clock } from '../../base/clock.ts';
import type { Ids } from '../../base/ids.ts';
import { delayAfter, FAILING_MS, GIVEN_UP } from '../../domain/webhooks/attempts.ts';
import { pauseEndpoint } from '../../domain/webhooks/pause.ts';
import { NEVER } from '../../model/send.ts';
import type { WebhookEndpoint } from '../../model/webhook.ts';
import type { WebhookDelivery, WebhookQueue } from '../../model/webhook-delivery.ts';
import type { Store, Writer } from '../../store/types.ts';
import type { Attempted } from './attempt.ts';

/** How long a process may hold an endpoint without a sign of life. Longer than a round of attempts takes. */
export const LEASE_MS = 30_000;
/** An endpoint that failed for this long was down. A few events that it refuses make no such gap. */
const DOWN_MS = 60_000;

/** How long an endpoint rests for which there was no room. */
export const LATER_MS = 1_000;

/** How often the events of a paused endpoint are looked at, to drop old ones. */
export const TRIM_EVERY_MS = 3_600_000;

export type Done = { delivery: WebhookDelivery; attempted: Attempted };

/** `isHeld`: deliveries are due, and the endpoint was not released. */
export type Settled = { isHeld: boolean; isLost: boolean; queue: WebhookQueue; leaseUntil: number; isPaused: boolean };

export type RoundParts = { store: Store; clock: Clock; ids: Ids; owner: string; chance(): number };

type Health = Pick<WebhookQueue, 'failures' | 'failingSince'>;

const HEALTHY: Health = { failures: 0, failingSince: null };

/** A round is one failure at most, however many requests it had. A receiver that refuses an event for good does not fail. */
function healthAfter(before: Health, done: readonly Done[], now: number): Health {
  const outcomes = done.flatMap(({ attempted }) => (attempted.lastAttemptAt === null ? [] : attempted.outcome));
  if (outcomes.some((outcome) => outcome === 'delivered' || outcome === 'dead')) return HEALTHY;
  if (!outcomes.includes('retry')) return before;
  return { failures: before.failures + 1, failingSince: before.failingSince ?? now };
}

async function note(tx: Writer, { delivery, attempted }: Done, now: number, chance: number): Promise<void> {
  const { outcome, waitMs, ...attempt } = attempted;
  if (outcome === 'stopped') return;
  const isSpent = now - delivery.createdAt >= GIVEN_UP.ms && delivery.attempts + 1 >= GIVEN_UP.attempts;
  if (outcome === 'retry' && !isSpent) {
    await tx.webhookDeliveries.retryAt(delivery, now + Math.max(delayAfter(delivery.attempts + 1, chance), waitMs), attempt);
  } else {
    await tx.webhookDeliveries.end(delivery, outcome === 'delivered' ? 'DELIVERED' : 'DEAD', now, attempt);
  }
}

/** A failing endpoint rests between two attempts, whatever waits. The first failure may be that of one event: another is tried. */
export function restMs({ failures }: Health, chance: number): number {
  return failures < 2 ? 0 : delayAfter(failures - 1, chance);
}

/** Records the outcomes of a round, and when the endpoint is due next. Nothing is written if another process has the endpoint. */
export function settle(
  { store, clock, ids, owner, chance }: RoundParts,
  endpoint: WebhookEndpoint,
  done: readonly Done[],
): Promise<Settled> {
  const key = { organizationId: endpoint.organizationId, endpointId: endpoint.id };
  return store.transaction(async (tx) => {
    const now = clock.now();
    const isHeld = await tx.webhookQueues.hold(key, owner, now + LEASE_MS);
    const before = (await tx.webhookQueues.get(key.organizationId, key.endpointId))!;
    if (!isHeld) return { isHeld, isLost: true, queue: before, leaseUntil: 0, isPaused: false };
    for (const one of done) await note(tx, one, now, chance());
    const wasDown = before.failures > 1 && before.failingSince !== null && now - before.failingSince >= DOWN_MS;
    if (wasDown && done.some(({ attempted }) => attempted.outcome === 'delivered'))
      await tx.webhookDeliveries.hasten(key.organizationId, key.endpointId, now);
    const due = await tx.webhookDeliveries.nextDue(key.organizationId, key.endpointId);
    // If nothing waits for the endpoint, its next failure begins a new count.
    const health = due === undefined ? HEALTHY : healthAfter(before, done, now);
    const isTried = done.some(({ attempted }) => attempted.outcome !== 'stopped');
    const isPaused = isTried && health.failingSince !== null && now - health.failingSince >= FAILING_MS;
    const queue = { ...before, ...health };
    await tx.webhookQueues.change(before, health);
    if (isPaused) await pauseEndpoint(tx, { queue, endpoint, ids, now });
    const rest = isPaused ? TRIM_EVERY_MS : isTried || done.length === 0 ? restMs(health, chance()) : LATER_MS;
    const nextAt = due === undefined ? NEVER : Math.max(due, now + rest);
    if (nextAt > now) await tx.webhookQueues.release(key, owner, nextAt);
    return { isHeld: nextAt <= now, isLost: false, queue, leaseUntil: now + LEASE_MS, isPaused };
  }, BACKGROUND_MS);
}
