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

/**
 * Sends activities' outbox messages after their commit: at least once, in order within one activity and topic. A topic that has no
 * sender here is left alone, so its messages wait for a process that sends it.
 */
export function outboxWorker(parts: {
  store: Store;
  clock: Clock;
  log: Log;
  senders: ReadonlyMap<string, Sender>;
  /** The payload of a message, opened if it is sealed. */
  payloadOf(message: OutboxMessage): unknown;
}): OutboxWorker {
  const { store, clock, log, senders, payloadOf } = parts;

  async function deliver(send: Sender, message: OutboxMessage): Promise<void> {
    const { id, organizationId, activityId, topic, attempts } = message;
    try {
      await send({ id, organizationId, activityId, topic, payload: payloadOf(message), attempt: attempts });
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
      let taken = 0;
      for (const [topic, send] of senders) {
        const messages = await store.transaction((tx) => tx.outbox.claim(topic, clock.now(), LEASE_MS, BATCH));
        await Promise.all(messages.map((message) => deliver(send, message)));
        taken += messages.length;
      }
      return taken;
    },
  };
}
