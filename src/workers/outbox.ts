import type { Clock } from '../base/clock.ts';
import type { Log } from '../engine/ports.ts';
import { type Outgoing, type Receipt, SendError } from '../outbound/types.ts';
import type { OutboxMessage, Store, Writer } from '../store/types.ts';
import { type TopicWorker, topicWorker } from './topic.ts';

/** Seconds until the next attempt. After the last attempt the message is dead, and stays for the operator to see. */
const BACKOFF_S = [1, 5, 30, 120, 600, 1800, 7200, 21_600];
/** How often it drops old rows. */
const TIDY_MS = 60_000;
/** Messages that expired this long ago are dropped unsent. Until then an attempt notes that they expired. */
const GRACE_MS = 30_000;
const DAY_MS = 86_400_000;
/** How long it stays visible that a message was not sent. */
const EXPIRED_KEPT_MS = 30 * DAY_MS;
const EVENTS_KEPT_MS = 90 * DAY_MS;
const BATCH = 500;
/** How long work under way has to end when the service stops. */
const STOPPING_MS = 5_000;

/**
 * The outcome of an attempt. `failed` is for the operator, `said` for users of the organization too. `isOver`: there is no further
 * attempt. `refused`: the other side does not want it, now or later.
 */
export type Outcome = { sent: Receipt; afterMs: number } | { failed: string; said?: string; isOver: boolean; refused: boolean };

const TOO_LATE = 'it expired before it could be sent';

export type Topic = {
  /** Throws SendError, or any other error for one that may pass. */
  send(message: Outgoing): Promise<Receipt>;
  /** Further writes of the transaction that settles an attempt. */
  settled?(tx: Writer, message: Outgoing, outcome: Outcome): Promise<void>;
  /** The parts of a message that neither an error nor a receipt may show. */
  secrets(payload: unknown): readonly string[];
};

export type OutboxWorker = {
  start(): void;
  /** There may be new messages. */
  wake(): void;
  /** Resolves when all due messages were tried. */
  settled(): Promise<void>;
  /** `abort`: called if the work under way does not end. */
  close(abort?: () => void): Promise<void>;
};

type Parts = {
  store: Store;
  clock: Clock;
  log: Log;
  topics: ReadonlyMap<string, Topic>;
  /** The payload of a message, opened if it is sealed. */
  payloadOf(message: OutboxMessage): unknown;
};

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error)).slice(0, 300);

/** Removes the secrets, and pieces of them: a server may quote the refused message, with its own line breaks. */
function hide(text: string, secrets: readonly string[]): string {
  const shown = secrets.reduce((rest, secret) => (secret === '' ? rest : rest.replaceAll(secret, '***')), text);
  const isPiece = (word: string) => secrets.some((secret) => secret.toLowerCase().includes(word.toLowerCase()));
  return shown.replace(/[\w-]{6,}/g, (word) => (isPiece(word) ? '***' : word));
}

/**
 * Sends activities' outbox messages after their commit: at least once, in order within one activity and topic. A topic without a
 * sender here is left alone. Its messages wait for a process that sends them, until they expire.
 */
export function outboxWorker({ store, clock, log, topics, payloadOf }: Parts): OutboxWorker {
  let closed = false;
  let timer: NodeJS.Timeout | undefined;
  let tidying: Promise<void> = Promise.resolve();

  async function attempt(topic: Topic, message: Outgoing, expiresAt: number | null): Promise<Outcome> {
    const begun = clock.now();
    if (expiresAt !== null && expiresAt <= begun) return { failed: TOO_LATE, said: TOO_LATE, isOver: true, refused: false };
    const shown = (text: string) => hide(text, topic.secrets(message.payload));
    try {
      const { response } = await topic.send(message);
      return { sent: { response: shown(response) }, afterMs: clock.now() - begun };
    } catch (error) {
      const refused = error instanceof SendError && error.permanent;
      const wait = BACKOFF_S[message.attempt - 1];
      const isLate = wait !== undefined && expiresAt !== null && clock.now() + wait * 1000 >= expiresAt;
      const said = error instanceof SendError && error.said !== undefined ? { said: shown(error.said) } : {};
      return { failed: shown(textOf(error)), ...said, isOver: refused || wait === undefined || isLate, refused };
    }
  }

  async function settle(topic: Topic, message: OutboxMessage, outgoing: Outgoing, outcome: Outcome): Promise<void> {
    const { id, organizationId, activityId, attempts } = message;
    const about = { outboxId: id, organizationId, activityId, topic: message.topic, attempts };
    await store.transaction(async (tx) => {
      if ('sent' in outcome) await tx.outbox.done(id);
      // This process ended it, and not the other side: the next process takes it immediately.
      else if (closed && !outcome.isOver) return tx.outbox.retryAt(message, clock.now(), outcome.failed);
      else if (outcome.isOver) await tx.outbox.dead(message, outcome.failed);
      else await tx.outbox.retryAt(message, clock.now() + BACKOFF_S[attempts - 1]! * 1000, outcome.failed);
      await topic.settled?.(tx, outgoing, outcome);
    });
    if ('sent' in outcome) log.info(about, 'a message was sent');
    else
      log.warn(
        { ...about, why: outcome.failed },
        outcome.isOver ? 'a message is dead and will not be retried' : 'a message was not sent; it is retried',
      );
  }

  async function deliver(topic: Topic, message: OutboxMessage): Promise<void> {
    const { id, organizationId, activityId, attempts } = message;
    try {
      const outgoing = { id, organizationId, activityId, topic: message.topic, payload: payloadOf(message), attempt: attempts };
      await settle(topic, message, outgoing, await attempt(topic, outgoing, message.expiresAt));
    } catch (error) {
      // Its lease expires, and it is tried again.
      log.error({ outboxId: id, activityId, topic: message.topic, error }, 'the outcome of a message could not be recorded');
    }
  }

  /** Drops expired payloads, and rows and events that were kept long enough. */
  async function tidy(): Promise<void> {
    for (let more = true; more && !closed; ) {
      const now = clock.now();
      ({ more } = await store.transaction((tx) => tx.outbox.sweep(now - GRACE_MS, EXPIRED_KEPT_MS, BATCH)));
    }
    for (let more = true; more && !closed; )
      more = (await store.transaction((tx) => tx.emailEvents.sweep(clock.now() - EVENTS_KEPT_MS, BATCH))) === BATCH;
  }

  async function tidyAgain(): Promise<void> {
    try {
      await tidy();
    } catch (error) {
      log.warn({ error }, 'old messages could not be deleted; it is retried');
    }
    if (closed) return;
    timer = setTimeout(() => {
      tidying = tidyAgain();
    }, TIDY_MS);
    timer.unref();
  }

  const workers: TopicWorker[] = [...topics].map(([name, topic]) =>
    topicWorker({ store, clock, log, topic: name, deliver: (message) => deliver(topic, message) }),
  );

  return {
    start() {
      for (const one of workers) one.start();
      tidying = tidyAgain();
    },
    wake() {
      for (const one of workers) one.wake();
    },
    async settled() {
      await Promise.all(workers.map((one) => one.settled()));
    },
    async close(abort = () => {}) {
      closed = true;
      clearTimeout(timer);
      const ended = Promise.all(workers.map((one) => one.close()));
      const grace = setTimeout(abort, STOPPING_MS);
      await Promise.all([ended, tidying]);
      clearTimeout(grace);
      abort();
    },
  };
}
