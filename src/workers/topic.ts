import type { Clock } from '../base/clock.ts';
import { Sleep } from '../base/sleep.ts';
import type { Log } from '../engine/ports.ts';
import { isOn } from '../model/quarantine.ts';
import type { OutboxMessage, Store } from '../store/types.ts';
import { backlog } from './backlog.ts';

/** How long one process may hold a message before another may take it. Longer than any attempt. */
const LEASE_MS = 60_000;
/** Messages under way together. */
const PLACES = 16;
/** The part of these places for one top-level organization with all its sub-organizations: its backlog leaves places for others. */
const SHARE = 4;
/** How often it looks, woken or not: for messages that another process left, and for retries. */
const EVERY_MS = 2_000;

export type TopicWorker = {
  start(): void;
  /** There may be a message. */
  wake(): void;
  /** Resolves when all due messages were tried. */
  settled(): Promise<void>;
  /** Takes no more. Resolves when nothing is under way. */
  close(): Promise<void>;
};

type Parts = { store: Store; clock: Clock; log: Log; topic: string; deliver(message: OutboxMessage): Promise<void> };

/** Takes the due messages of one topic, a few at a time. Topics do not wait for each other. */
export function topicWorker({ store, clock, log, topic, deliver }: Parts): TopicWorker {
  const due = backlog(store.read, topic);
  const busy = new Map<string, number>();
  let places = PLACES;
  let closed = false;
  let running: Promise<void> = Promise.resolve();
  const sleep = new Sleep();
  let waiting: (() => void)[] = [];

  function begin(message: OutboxMessage): void {
    const payerId = message.payerId ?? message.organizationId;
    places--;
    busy.set(payerId, (busy.get(payerId) ?? 0) + 1);
    void deliver(message).finally(() => {
      places++;
      const left = busy.get(payerId)! - 1;
      if (left === 0) busy.delete(payerId);
      else busy.set(payerId, left);
      sleep.wake();
    });
  }

  /** Claims due messages, and returns how long to rest. */
  async function take(): Promise<number> {
    while (places > 0 && !closed) {
      const now = clock.now();
      const first = await store.read.outbox.nextDue(topic);
      if (first === undefined) return EVERY_MS;
      if (first > now) return Math.min(EVERY_MS, first - now);
      if (isOn(await store.read.instance.quarantine())) return EVERY_MS;
      // No more than a share together: they may all be of one payer.
      const limit = Math.min(places, SHARE);
      const { found, isEnd } = await due.next(now, limit, (payerId) => SHARE - (busy.get(payerId) ?? 0));
      if (found.length > 0 && !closed) {
        const claimed = await store.transaction((tx) => tx.outbox.claim(found, now + LEASE_MS));
        for (const message of claimed) begin(message);
      }
      // The due messages belong to a payer whose share is taken, or are behind another message.
      if (isEnd) return EVERY_MS;
    }
    return EVERY_MS;
  }

  async function run(): Promise<void> {
    while (!closed) {
      sleep.look();
      let ms = EVERY_MS;
      try {
        ms = await take();
      } catch (error) {
        if (!closed) log.warn({ topic, error }, 'messages could not be read; it is retried');
      }
      if (!sleep.isWoken && busy.size === 0) {
        for (const resolve of waiting) resolve();
        waiting = [];
      }
      await sleep.rest(ms);
    }
    while (busy.size > 0) {
      sleep.look();
      await sleep.rest();
    }
    for (const resolve of waiting) resolve();
  }

  return {
    start() {
      running = run();
    },
    wake: () => sleep.wake(),
    settled() {
      if (closed) return running;
      return new Promise((resolve) => {
        waiting.push(resolve);
        sleep.wake();
      });
    },
    async close() {
      closed = true;
      sleep.wake();
      await running;
    },
  };
}
