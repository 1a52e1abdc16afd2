import { BACKGROUND_MS } from '../../base/background.ts';
import type { Receiver } from '../../model/webhook.ts';
import { hasRetriesToHasten, MOST_KEPT, type WebhookDelivery, type WebhookQueue } from '../../model/webhook-delivery.ts';
import type { Attempt, Attempted } from './attempt.ts';
import type { Bodies } from './bodies.ts';
import type { Begun } from './fan-out.ts';
import { beganAfresh, hasten } from './hasten.ts';
import type { Places } from './places.ts';
import type { Receivers } from './receivers.ts';
import { type Done, LATER_MS, LEASE_MS, type RoundParts, type Settle } from './round.ts';
import { dropSome, park } from './trim.ts';

/** Requests under way to an endpoint that takes them. */
const SEVERAL = 4;
/** An attempt begins only if the lease lasts longer than an attempt and its record. */
const MARGIN_MS = 20_000;

export type LineParts = RoundParts & {
  attempt: Attempt;
  receiver: Receivers;
  places: Places;
  bodies: Bodies;
  settle: Settle;
  isClosed(): boolean;
  settled(done: readonly Done[], isPaused: boolean): void;
};

const EVENT_IS_GONE: Attempted = {
  outcome: 'dead',
  waitMs: 0,
  lastAttemptAt: null,
  lastDurationMs: null,
  lastStatusCode: null,
  lastAnswer: '',
  lastError: 'the event is no longer kept',
};

/** Nothing was sent: it is tried again. */
const NOT_TRIED: Attempted = { ...EVENT_IS_GONE, outcome: 'stopped', lastError: '' };

const payerOf = ({ organizationId, parentId }: Receiver): string => parentId ?? organizationId;

async function deliver(parts: LineParts, receiver: Receiver, delivery: WebhookDelivery): Promise<Done> {
  const { organizationId, url } = receiver;
  const payer = payerOf(receiver);
  const attempted = await parts.bodies.with({ position: delivery.position, organizationId, payer }, async (event) => {
    if (event === undefined) return EVENT_IS_GONE;
    if (event === 'full') return NOT_TRIED;
    return parts.attempt({ organizationId, payer, url }, event);
  });
  return { delivery, attempted };
}

/** The deliveries to try next. */
async function chosen({ store, clock }: LineParts, { organizationId, endpointId, failures }: WebhookQueue, most: number) {
  const now = clock.now();
  const { webhookDeliveries } = store.read;
  if (failures === 0) return webhookDeliveries.due(organizationId, endpointId, now, most);
  const one = await webhookDeliveries.leastTried(organizationId, endpointId, now);
  return one === undefined ? [] : [one];
}

/** A lease that covers an attempt. The wait for a place may have used up the one before. */
async function isHeld({ store, clock, owner }: LineParts, queue: WebhookQueue): Promise<boolean> {
  const now = clock.now();
  if (queue.leaseUntil - now >= MARGIN_MS) return true;
  return store.transaction((tx) => tx.webhookQueues.hold(queue, owner, now + LEASE_MS), BACKGROUND_MS);
}

/** Releases an endpoint, so that others are claimed before it. */
function leave({ store, clock, owner }: LineParts, queue: WebhookQueue, ms: number): Promise<undefined> {
  return store.transaction(
    async (tx) => tx.webhookQueues.release(queue, owner, clock.now() + ms),
    BACKGROUND_MS,
  ) as Promise<undefined>;
}

type Next = { receiver: Receiver; most: number; first: WebhookDelivery | undefined };

/** One round of attempts, and the record of their outcomes. Undefined if the endpoint was released or lost. */
async function round(
  parts: LineParts,
  queue: WebhookQueue,
  { receiver, most, first: known }: Next,
): Promise<WebhookQueue | undefined> {
  const wish = { organizationId: receiver.organizationId, payer: payerOf(receiver), isProbe: queue.failures > 0 };
  const first = await parts.places.take(wish);
  if (first === undefined) return leave(parts, queue, LATER_MS);
  const taken = [first];
  const giveBack = () => {
    for (const one of taken.splice(0)) one();
  };
  try {
    if (!(await isHeld(parts, queue))) return undefined;
    const next = parts.isClosed() ? [] : known !== undefined ? [known] : await chosen(parts, queue, most);
    const found = await beganAfresh(parts, queue, receiver, next);
    if (found === undefined) return undefined;
    while (taken.length < found.length) {
      const place = parts.places.more(wish);
      if (place === undefined) break;
      taken.push(place);
    }
    const tried = await Promise.allSettled(found.slice(0, taken.length).map((delivery) => deliver(parts, receiver, delivery)));
    // Nothing is under way while the outcomes are recorded.
    giveBack();
    const done = tried.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
    const settled = await parts.settle({ receiver, pending: queue.pending, done });
    if (!settled.isLost) parts.settled(done, settled.isPaused);
    for (const one of tried) if (one.status === 'rejected') throw one.reason;
    return settled.queue;
  } finally {
    giveBack();
  }
}

/**
 * Delivers to one endpoint that this process holds, until nothing is due. An endpoint that takes an event gets several together. `first`: its
 * only delivery when it was claimed, if that is known.
 */
export async function work(parts: LineParts, claimed: WebhookQueue, first?: Begun['first']): Promise<void> {
  let queue: WebhookQueue | undefined = claimed;
  let known = first;
  let most = 1;
  while (queue !== undefined) {
    const { organizationId, endpointId } = queue;
    const read = await parts.receiver({ organizationId, id: endpointId });
    if (parts.isClosed()) return leave(parts, queue, 0);
    if (!read?.isActive) return park(parts, queue, read === undefined);
    if (hasRetriesToHasten(queue)) {
      queue = await hasten(parts, queue);
      // The endpoint may have changed meanwhile.
      continue;
    }
    if (queue.failures > 0 && queue.pending > MOST_KEPT) {
      const dropped = await dropSome(parts, queue, false);
      queue = dropped === undefined ? undefined : { ...queue, pending: queue.pending - dropped };
    }
    if (queue === undefined) return;
    queue = await round(parts, queue, { receiver: read, most, first: known });
    known = undefined;
    most = queue?.failures === 0 ? SEVERAL : 1;
  }
}
