import type { Clock } from '../base/clock.ts';
import type { Log } from '../engine/ports.ts';
import type { Store } from '../store/types.ts';

/** How often it looks for deletions, including those of other processes and of an earlier start. */
const EVERY_MS = 1_000;
/** How often it logs its progress with one organization. */
const SAY_EVERY_MS = 10_000;

export type DeletionWorker = {
  /** Removes the rest of deleted organizations, until nothing is left or the worker is closed. */
  sweep(): Promise<void>;
  /** Sweeps from time to time. */
  start(): void;
  /** Resolves when a step that has begun is done. */
  close(): Promise<void>;
};

/**
 * Removes the rows that large organizations leave when they are deleted. Each step is a transaction, after which the worker rests
 * for as long as the step took. Several processes may sweep together.
 */
export function deletionWorker({
  store,
  clock,
  elapsed,
  log,
}: {
  store: Store;
  clock: Clock;
  elapsed: Clock;
  log: Log;
}): DeletionWorker {
  let closed = false;
  let timer: NodeJS.Timeout | undefined;
  let rested: (() => void) | undefined;
  let running: Promise<void> = Promise.resolve();

  const rest = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      rested = resolve;
      timer = setTimeout(resolve, ms);
    });

  async function sweepOne(organizationId: string): Promise<void> {
    const since = elapsed.now();
    let said = since;
    for (let steps = 1, isDone = false; !isDone && !closed; steps++) {
      const begun = elapsed.now();
      isDone = await store.transaction((tx) => tx.deletedOrganizations.sweep(organizationId, clock.now()));
      const now = elapsed.now();
      if (!isDone && now - said >= SAY_EVERY_MS) {
        said = now;
        log.info({ organizationId, steps, ms: now - since }, 'a deleted organization has many rows; their removal continues');
      }
      if (!isDone && !closed) await rest(now - begun);
      else if (isDone) log.info({ organizationId }, 'all rows of a deleted organization except its record are removed');
    }
  }

  async function sweep(): Promise<void> {
    for (;;) {
      const organizationId = closed ? undefined : await store.read.deletedOrganizations.next();
      if (organizationId === undefined) return;
      await sweepOne(organizationId);
    }
  }

  async function again(): Promise<void> {
    try {
      await sweep();
    } catch (error) {
      log.warn({ error }, 'rows of deleted organizations could not be removed; it is retried');
    }
    if (closed) return;
    timer = setTimeout(() => {
      running = again();
    }, EVERY_MS);
    timer.unref();
  }

  return {
    sweep,
    start() {
      running = again();
    },
    async close() {
      closed = true;
      clearTimeout(timer);
      rested?.();
      await running;
    },
  };
}
