import { BACKGROUND_MS } from '../../base/background.ts';
import { batched } from '../../base/batches.ts';
import type { Clock } from '../../base/clock.ts';
import { Busy } from '../../base/errors.ts';
import type { Ids } from '../../base/ids.ts';
import { delayAfter, FAILING_MS, GIVEN_UP } from '../../domain/webhooks/attempts.ts';
import { pauseEndpoint } from '../../domain/webhooks/pause.ts';
import { NEVER } from '../../model/send.ts';
import type { Receiver } from '../../model/webhook.ts';
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

/** The attempts of one endpoint that were under way together. */
export type Round = { receiver: Receiver; done: readonly Done[] };

/** `queue`: deliveries are due, and the endpoint was not released. */
export type Settled = { isLost: boolean; isPaused: boolean; queue?: WebhookQueue };

export type Settle = (round: Round) => Promise<Settled>;

/** Rounds of one transaction, and transactions under way. */
const BATCHES = { most: 64, atOnce: 2, maybeOfOne: (error: unknown) => !(error instanceof Busy) };
/** A busy endpoint does not wait for others. */
const GATHERING = { ms: 20, urgent: ({ done }: Round) => done.length > 1 };

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

/** Returns whether the delivery has ended. */
async function note(tx: Writer, { delivery, attempted }: Done, now: number, chance: () => number): Promise<boolean> {
  const { outcome, waitMs, ...attempt } = attempted;
  if (outcome === 'stopped') return false;
  const isSpent = now - delivery.createdAt >= GIVEN_UP.ms && delivery.attempts + 1 >= GIVEN_UP.attempts;
  if (outcome !== 'retry' || isSpent)
    return tx.webhookDeliveries.finish(delivery, outcome === 'delivered' ? 'DELIVERED' : 'DEAD', now, attempt);
  await tx.webhookDeliveries.retryAt(delivery, now + Math.max(delayAfter(delivery.attempts + 1, chance()), waitMs), attempt);
  return false;
}

/** A failing endpoint rests between two attempts, whatever waits. The first failure may be that of one event: another is tried. */
export function restMs({ failures }: Health, chance: () => number): number {
  return failures < 2 ? 0 : delayAfter(failures - 1, chance());
}

/** Records the outcomes of a round. Returns the number of pending deliveries, and when the next one is due. */
async function record(tx: Writer, before: WebhookQueue, done: readonly Done[], now: number, chance: () => number) {
  const ended: WebhookDelivery[] = [];
  for (const one of done) if (await note(tx, one, now, chance)) ended.push(one.delivery);
  const pending = before.pending - ended.length;
  // Nothing waits for the endpoint. Its row is locked, so nothing comes meanwhile.
  if (pending <= 0) return { pending, due: undefined };
  for (const delivery of ended) await tx.webhookDeliveries.goOn(delivery);
  const { organizationId, endpointId, failures, failingSince } = before;
  const wasDown = failures > 1 && failingSince !== null && now - failingSince >= DOWN_MS;
  if (wasDown && done.some(({ attempted }) => attempted.outcome === 'delivered'))
    await tx.webhookDeliveries.hasten(organizationId, endpointId, now);
  return { pending, due: await tx.webhookDeliveries.nextDue(organizationId, endpointId) };
}

/** While the queue had an owner, it was due when the lease ends. An earlier time was set meanwhile, and stays. */
const dueOr = ({ nextAt, leaseUntil }: WebhookQueue, at: number): number => (nextAt < leaseUntil ? nextAt : at);

/** Records a round, and when its endpoint is due next. Nothing is written if another process has the endpoint. */
async function settleOne(
  { ids, owner, chance }: RoundParts,
  tx: Writer,
  { receiver, done }: Round,
  now: number,
): Promise<Settled> {
  const before = await tx.webhookQueues.lock({ organizationId: receiver.organizationId, endpointId: receiver.id }, owner);
  if (before === undefined) return { isLost: true, isPaused: false };
  const { pending, due } = await record(tx, before, done, now, chance);
  // If nothing waits for the endpoint, its next failure begins a new count.
  const health = due === undefined ? HEALTHY : healthAfter(before, done, now);
  const isTried = done.some(({ attempted }) => attempted.outcome !== 'stopped');
  const isPaused = isTried && health.failingSince !== null && now - health.failingSince >= FAILING_MS;
  const rest = isPaused ? TRIM_EVERY_MS : isTried || done.length === 0 ? restMs(health, chance) : LATER_MS;
  const nextAt = due === undefined ? NEVER : Math.max(due, now + rest);
  const isHeld = nextAt <= now;
  const leaseUntil = now + LEASE_MS;
  const lease = isHeld ? { owner, leaseUntil, nextAt: leaseUntil } : { owner: '', leaseUntil: 0, nextAt: dueOr(before, nextAt) };
  const queue = { ...before, ...health, ...lease, pending };
  await tx.webhookQueues.settle(queue);
  if (isPaused) await pauseEndpoint(tx, { queue, endpoint: receiver, ids, now });
  return { isLost: false, isPaused, ...(isHeld && { queue }) };
}

/** Rounds of several endpoints that end together share a transaction. The order is that of claims, so that no two wait for each other. */
export function settling(parts: RoundParts): Settle {
  const { store, clock } = parts;
  return batched(
    (rounds) =>
      store.transaction(async (tx) => {
        const now = clock.now();
        const settled = new Map<Round, Settled>();
        for (const one of rounds.toSorted((a, b) => (a.receiver.id < b.receiver.id ? -1 : 1)))
          settled.set(one, await settleOne(parts, tx, one, now));
        return rounds.map((one) => settled.get(one)!);
      }, BACKGROUND_MS),
    BATCHES,
    GATHERING,
  );
}
