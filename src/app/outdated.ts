import { Outdated } from '../base/errors.ts';
import type { Log } from '../engine/ports.ts';
import type { Store } from '../store/types.ts';

/** How often it looks. */
const EVERY_MS = 1_000;

export type OutdatedWatch = {
  /** Why this process no longer takes work. Undefined: it does. */
  found(): Outdated | undefined;
  /** Looks from time to time. `end` is called once: all work beside requests must stop. */
  start(end: () => void): void;
  close(): Promise<void>;
};

/**
 * Wraps the store, and watches whether a newer program has migrated the database of this process. Only PostgreSQL lets one start
 * beside another.
 */
export function watchOutdated(store: Store, log: Log): { store: Store; outdated: OutdatedWatch } {
  let found: Outdated | undefined;
  let end = () => {};
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;
  let looking: Promise<unknown> = Promise.resolve();

  function note(error: unknown): never {
    if (error instanceof Outdated && found === undefined) {
      found = error;
      clearTimeout(timer);
      log.error({}, `${error.message}. Until then it refuses all requests, and sends nothing`);
      end();
    }
    throw error;
  }
  const noted =
    <A extends unknown[], T>(work: (...args: A) => Promise<T>) =>
    (...args: A) =>
      work(...args).catch(note);
  const look = noted(store.read.clock.get);

  function again(): void {
    if (isClosed || found !== undefined) return;
    timer = setTimeout(() => {
      // Other parts report that the database does not answer.
      looking = look()
        .catch(() => {})
        .then(again);
    }, EVERY_MS);
    timer.unref();
  }

  return {
    store: {
      ...store,
      raiseClock: noted(store.raiseClock),
      check: noted((now) => (found === undefined ? store.check(now) : Promise.reject(found))),
    },
    outdated: {
      found: () => found,
      start(stop) {
        end = stop;
        if (found !== undefined) return stop();
        if (store.engine === 'sqlite') return;
        again();
      },
      async close() {
        isClosed = true;
        clearTimeout(timer);
        await looking;
      },
    },
  };
}
