import { BACKGROUND_MS } from '../../base/background.ts';
import type { Clock } from '../../base/clock.ts';
import type { Ids } from '../../base/ids.ts';
import { receives } from '../../domain/webhooks/matching.ts';
import { isOfAll, type Subscriber } from '../../model/webhook.ts';
import type { NewDelivery, WebhookDelivery, WebhookQueue } from '../../model/webhook-delivery.ts';
import type { WaitingEvent } from '../../model/webhook-event.ts';
import type { Store } from '../../store/types.ts';
import { organizationsOf, placeInStreams } from '../streams/positions.ts';
import { LEASE_MS as ENDPOINT_LEASE_MS } from './round.ts';

const LEASE = 'webhook fan-out';
/** How long another process waits for one that died. */
const LEASE_MS = 5_000;
/** Events of one transaction. */
export const MOST_EVENTS = 100;

type Parts = { store: Pick<Store, 'transaction'>; clock: Clock; ids: Ids; owner: string };

/** Endpoints that may be claimed at once: at most this number. */
export type Room = { most: number; may(endpointId: string): boolean };

/** A claimed endpoint, with its first delivery. The endpoint is read again, because it may have changed since its events were matched. */
export type Begun = { queue: WebhookQueue; first: WebhookDelivery };

const isFor = (event: Pick<WaitingEvent, 'eventType' | 'parentId'>, { organizationId }: Subscriber): boolean =>
  isOfAll(event.eventType) || event.parentId === null || organizationId === event.parentId;

function deliveriesOf(
  event: WaitingEvent,
  subscribers: ReadonlyMap<string, readonly Subscriber[]>,
  { ids, clock }: Pick<Parts, 'ids' | 'clock'>,
): NewDelivery[] {
  const { id: eventId, position, eventType, subject } = event;
  return organizationsOf(event)
    .flatMap((organizationId) => subscribers.get(organizationId) ?? [])
    .filter((endpoint) => isFor(event, endpoint) && receives(endpoint, event))
    .map(({ organizationId, id: endpointId }) => {
      const of = { organizationId, id: ids.next(), endpointId };
      return { ...of, eventId, position, eventType, subject, createdAt: clock.now() };
    });
}

/** `streamed`: the organizations whose streams have further events. */
export type FannedOut = { events: number; streamed: ReadonlySet<string>; begun: Begun[] };

/**
 * Makes the deliveries of the next events, and places them in streams. Claims endpoints that had nothing to deliver, because their rows are written
 * anyway. Undefined if another process does this work. `after`: no event up to this position waits.
 */
export async function fanOut({ store, clock, ids, owner }: Parts, after?: number, room?: Room): Promise<FannedOut | undefined> {
  return store.transaction(async (tx) => {
    const now = clock.now();
    if (!(await tx.leases.claim(LEASE, owner, now, now + LEASE_MS))) return undefined;
    const events = await tx.webhookEvents.waiting(MOST_EVENTS, after);
    const found = await tx.webhookEndpoints.subscribers([...new Set(events.flatMap(organizationsOf))]);
    const subscribers = Map.groupBy(found, ({ organizationId }) => organizationId);
    const made = events.flatMap((event) => deliveriesOf(event, subscribers, { ids, clock }));
    const lease = room && { ...room, owner, leaseUntil: now + ENDPOINT_LEASE_MS };
    const begun = await tx.webhookDeliveries.insert(made, lease);
    const delivered = new Set(made.map(({ position }) => position));
    const placed = await placeInStreams(tx, events, delivered, now);
    const wanted = new Set([...delivered, ...placed.map(({ position }) => position)]);
    const positions = events.map(({ position }) => position);
    await tx.webhookEvents.fannedOut(
      positions.filter((position) => wanted.has(position)),
      now,
    );
    await tx.webhookEvents.remove(positions.filter((position) => !wanted.has(position)));
    return { events: events.length, streamed: new Set(placed.map(({ organizationId }) => organizationId)), begun };
  }, BACKGROUND_MS);
}

export const leaveFanOut = ({ store, owner }: Pick<Parts, 'store' | 'owner'>): Promise<void> =>
  store.transaction((tx) => tx.leases.release(LEASE, owner));
