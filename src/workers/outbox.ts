import type { Clock } from '../base/clock.ts';
import type { Log } from '../engine/ports.ts';
import type { Sender } from '../outbound/types.ts';
import type { OutboxMessage, Store } from '../store/types.ts';

/** How long a worker may hold one message before another may take it. */
const LEASE_MS = 60_000;
const BATCH = 16;
/** Seconds until the next attempt; after the last one the message is dead and stays for the operator to see. */
const BACKOFF_S = [1, 5, 30, 120, 600, 1800, 7200, 21_600];

export type OutboxWorker = {
  /** Sends the due messages; returns how many it took. */
  sweep(): Promise<number>;
};

/** Sends activities' outbox messages after their commit: at least once, in order within one activity. */
export function outboxWorker(parts: {
  store: Store;
  clock: Clock;
  log: Log;
  senders: ReadonlyMap<string, Sender>;
}): OutboxWorker {
  const { store, clock, log, senders } = parts;

  async function deliver(message: OutboxMessage): Promise<void> {
    const { id, organizationId, activityId, topic, attempts } = message;
    try {
      const send = senders.get(topic);
      if (send === undefined) throw new Error(`nothing sends the topic ${topic}`);
      await send({ id, organizationId, activityId, topic, payload: JSON.parse(message.payload), attempt: attempts });
      await store.transaction((tx) => tx.outbox.done(id));
    } catch (error) {
      const wait = BACKOFF_S[attempts - 1];
      log.warn(
        { outboxId: id, activityId, topic, attempts, error },
        wait === undefined ? 'a message was given up' : 'a message was not sent',
      );
      await store.transaction((tx) =>
        wait === undefined ? tx.outbox.dead(id) : tx.outbox.retryAt(id, clock.now() + wait * 1000),
      );
    }
  }

  return {
    async sweep() {
      const messages = await store.transaction((tx) => tx.outbox.claim(clock.now(), LEASE_MS, BATCH));
      await Promise.all(messages.map(deliver));
      return messages.length;
    },
  };
}
