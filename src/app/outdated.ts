import { setTimeout as sleep } from 'node:timers/promises';
import { Outdated } from '../base/errors.ts';
import type { Log } from '../engine/ports.ts';
import type { Store } from '../store/types.ts';

/** How often it looks. */
const EVERY_MS = 1_000;

export type OutdatedWatch = {
  /** Why this process no longer takes work. Undefined: it does. */
  found(): Outdated | undefined;
  /** Looks until it is closed. `end` is called once: all work beside requests must stop. */
  start(end: () => void): void;
  close(): Promise<void>;
};

/** Watches whether a newer program has migrated the database of this process. Only PostgreSQL lets one start beside another. */
export function watchOutdated(store: Store, log: Log): OutdatedWatch {
  const closing = new AbortController();
  let found: Outdated | undefined;
  let watching: Promise<void> | undefined;

  async function look(): Promise<void> {
    try {
      await store.read.clock.get();
    } catch (error) {
      // Other parts report that the database does not answer.
      if (error instanceof Outdated) found = error;
    }
  }

  async function watch(end: () => void): Promise<void> {
    for (await look(); found === undefined; await look()) {
      await sleep(EVERY_MS, undefined, { ref: false, signal: closing.signal }).catch(() => {});
      if (closing.signal.aborted) return;
    }
    log.error({}, `${found.message}. Until then it refuses all requests, and sends nothing`);
    end();
  }

  return {
    found: () => found,
    start(end) {
      if (store.engine === 'postgres') watching = watch(end);
    },
    async close() {
      closing.abort();
      await watching;
    },
  };
}
