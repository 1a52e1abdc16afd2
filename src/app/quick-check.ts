import { setTimeout } from 'node:timers/promises';
import type { Clock } from '../base/clock.ts';
import type { Log } from '../engine/ports.ts';
import type { Store } from '../store/types.ts';

/** The start's own work goes first. */
const AFTER_MS = 5_000;
/** A larger file is checked at most once a day, however often the service starts. */
const LARGE = 1024 ** 3;
const DAY_MS = 24 * 60 * 60 * 1000;

/** The instance's row with the time of the last check of a large file. */
const CHECKED = 'quick-checked';

type Parts = { store: Store; machine: Clock; log: Log; afterMs?: number };

/** Checks SQLite's file once after the start. Otherwise damage shows only when a request needs the page. */
export function checkOnce({ store, machine, log, afterMs = AFTER_MS }: Parts): { close(): Promise<void> } {
  const ending = new AbortController();
  const { signal } = ending;

  async function check({ bytes, run }: NonNullable<Store['quickCheck']>): Promise<void> {
    await setTimeout(afterMs, undefined, { ref: false, signal });
    const last = Number((await store.read.instance.get(CHECKED)) ?? 0);
    if (bytes > LARGE && Math.abs(machine.now() - last) < DAY_MS)
      return log.info({}, 'the database file is large, and was checked less than a day ago');
    const found = await run(signal);
    if (found !== '') return log.error({ found }, 'the database file is damaged: stop the service, and restore a backup');
    if (bytes > LARGE) await store.transaction((tx) => tx.instance.put(CHECKED, String(machine.now())));
    log.info({}, 'the database file was checked, and is not damaged');
  }

  const { quickCheck } = store;
  const ended =
    quickCheck &&
    check(quickCheck).catch((error: unknown) => {
      if (!signal.aborted) log.warn({ error }, 'the database file could not be checked');
    });
  return {
    async close() {
      ending.abort();
      await ended;
    },
  };
}
