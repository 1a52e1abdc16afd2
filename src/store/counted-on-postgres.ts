import { inOrder, NoCounters, recordCounted } from './counted-records.ts';
import type { EngineDriver } from './engines/driver.ts';
import { KnownCounters } from './guessed-records.ts';
import { counterKey } from './repositories/policies/velocity-counters.ts';
import type { FinishedRecord, RecordResult } from './types.ts';

type Driver = Pick<EngineDriver, 'write' | 'transaction'>;

/** Lets work on the same counters follow each other. The database would hold it at their rows, and in an order of its own. */
class Turns {
  readonly #last = new Map<string, Promise<unknown>>();

  async take<T>(keys: readonly string[], work: () => Promise<T>): Promise<T> {
    const before = Promise.allSettled(keys.map((key) => this.#last.get(key)));
    const own = before.then(work);
    for (const key of keys) this.#last.set(key, own);
    try {
      return await own;
    } finally {
      for (const key of keys) if (this.#last.get(key) === own) this.#last.delete(key);
    }
  }
}

/** The counters are read under their locks. Those that do not exist are created first, so that no transaction waits for their creation. */
async function recordLocked(driver: Driver, records: readonly FinishedRecord[]) {
  const locked = () => driver.transaction((conn) => recordCounted(conn, records));
  try {
    return await locked();
  } catch (error) {
    if (!(error instanceof NoCounters)) throw error;
    await driver.write(error.create);
  }
  try {
    return await locked();
  } catch (error) {
    // A control was deleted since a decision. Only the records that it covers are stale, so each is written alone.
    if (!(error instanceof NoCounters) || records.length > 1) throw error;
    const results: RecordResult[] = ['stale'];
    return { results, counters: new Map() };
  }
}

/**
 * PostgreSQL: writes records with what they count. It takes one statement if the counters are known, and five round trips under locks
 * otherwise. A statement that rests on a counter is in vain if another batch changes it meanwhile. So batches of this process wait for those
 * before them that have a counter in common.
 */
export function countedOnPostgres(driver: Driver): (records: readonly FinishedRecord[]) => Promise<RecordResult[]> {
  const known = new KnownCounters();
  const turns = new Turns();
  return (records) => {
    const keys = inOrder(records).map(({ org, spend }) => counterKey(org, spend));
    return turns.take(keys, async () => {
      const isWritten = await known.record((work) => driver.write(work), records);
      if (isWritten) return records.map(() => 'written');
      const { results, counters } = await recordLocked(driver, records);
      // Where another process writes the same counters, every second statement would be in vain.
      if (isWritten === undefined) known.keep(counters);
      return results;
    });
  };
}
