import type { Clock } from '../../base/clock.ts';
import { DAY, KEPT_MS } from '../../domain/webhooks/attempts.ts';
import type { Log } from '../../engine/ports.ts';
import type { Store } from '../../store/types.ts';
import { RESUMED_MS } from '../streams/times.ts';
import { KEPT_MS as KEY_KEPT_MS } from './keys.ts';

/** The rest after a last batch, and after a failure. */
const EVERY_MS = 60_000;
const BATCH = 500;
/** How long clients see what became of a delivery. */
const ENDED_KEPT_MS = 30 * DAY;
/** A pending delivery may be this old, and it may be sent again while it is shown. */
const EVENTS_KEPT_MS = ENDED_KEPT_MS + KEPT_MS;

/** Without streams, an organization's activities are events no longer. */
async function endInterests(store: Store, now: number): Promise<void> {
  for (const organizationId of await store.read.streams.lapsed(now, BATCH))
    await store.transaction(async (tx) => {
      if ((await tx.organizations.hold(organizationId)) !== undefined) await tx.streams.lapse(organizationId, now);
    });
}

/** Removes old deliveries, events and keys: a batch at a time, from time to time. No delivery waits for it. */
export function sweeper({ store, clock, log }: { store: Store; clock: Clock; log: Log }) {
  let from = Number.NEGATIVE_INFINITY;
  let running: Promise<void> | undefined;

  async function batch(now: number): Promise<void> {
    const more = await store.transaction(async (tx) => {
      const deliveries = await tx.webhookDeliveries.sweep(now - ENDED_KEPT_MS, BATCH);
      const events = await tx.webhookEvents.sweep(now - EVENTS_KEPT_MS, BATCH);
      const streamed = await tx.streams.sweep(now - RESUMED_MS, BATCH);
      await tx.webhookKeys.sweep(now - KEY_KEPT_MS);
      return deliveries || events || streamed;
    });
    await endInterests(store, now);
    if (more) from = now;
  }

  return {
    /** Begins a batch if it is time, and none is under way. */
    begin(): void {
      const now = clock.now();
      if (now < from || running !== undefined) return;
      from = now + EVERY_MS;
      running = batch(now)
        .catch((error) => log.warn({ error }, 'old deliveries of webhooks could not be removed; it is retried'))
        .finally(() => {
          running = undefined;
        });
    },
    /** Resolves when none is under way. */
    ended: async (): Promise<void> => running,
  };
}
