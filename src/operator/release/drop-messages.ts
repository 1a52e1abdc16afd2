import { NEVER } from '../../model/send.ts';
import type { Reader, Store } from '../../store/types.ts';

const BATCH = 500;
/** Far more endpoints than have deliveries at the same time. */
const MOST_ENDPOINTS = 10_000_000;
/** Above each id. */
const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
const DROPPED = 'dropped by an operator, who made this database a copy for tests';

/** Messages and deliveries that wait, at most a page of each: the numbers for a dry run. */
export async function waitingMessages({ outbox, webhookQueues, webhookEvents }: Reader): Promise<number> {
  const queues = await Promise.all([false, true].map((isFailing) => webhookQueues.due(NEVER - 1, BATCH, isFailing)));
  const deliveries = queues.flat().reduce((sum, { pending }) => sum + pending, 0);
  return (await outbox.page('ready', BATCH)).length + deliveries + (await webhookEvents.waiting(BATCH)).length;
}

async function dropMails(store: Store): Promise<number> {
  for (let count = 0; ; ) {
    const found = await store.read.outbox.page('ready', BATCH);
    if (found.length === 0) return count;
    await store.transaction(async (tx) => {
      for (const { id } of found) await tx.outbox.done(id);
    });
    count += found.length;
  }
}

/** Events without deliveries get none. */
async function dropEvents(store: Store, now: number): Promise<number> {
  for (let count = 0; ; ) {
    const found = await store.read.webhookEvents.waiting(BATCH);
    if (found.length === 0) return count;
    await store.transaction((tx) =>
      tx.webhookEvents.fannedOut(
        found.map(({ position }) => position),
        now,
      ),
    );
    count += found.length;
  }
}

async function dropOfEndpoint(store: Store, organizationId: string, endpointId: string, now: number): Promise<number> {
  return store.transaction(async (tx) => {
    const found = await tx.webhookDeliveries.pendingBefore(organizationId, endpointId, LAST_ID, BATCH);
    for (const delivery of found) await tx.webhookDeliveries.end(delivery, 'DEAD', now, { lastError: DROPPED });
    return found.length;
  });
}

async function dropDeliveries(store: Store, now: number): Promise<number> {
  let count = 0;
  for (const isFailing of [false, true])
    for (const { organizationId, endpointId } of await store.read.webhookQueues.due(NEVER - 1, MOST_ENDPOINTS, isFailing))
      for (let dropped = BATCH; dropped === BATCH; count += dropped)
        dropped = await dropOfEndpoint(store, organizationId, endpointId, now);
  return count;
}

/** Drops all mails, SMS and webhooks that wait. Returns how many. */
export async function dropMessages(store: Store, now: number): Promise<number> {
  return (await dropMails(store)) + (await dropEvents(store, now)) + (await dropDeliveries(store, now));
}
