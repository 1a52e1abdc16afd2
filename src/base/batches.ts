/** Sends concurrent calls to the database together. */
export type Batched<T, R> = (item: T) => Promise<R>;

type Waiting<T, R> = { item: T; resolve(result: R): void; reject(error: unknown): void };

type BatchLimits = {
  /** Items in one batch. */
  most: number;
  /** Maximum number of batches in flight. Items that arrive meanwhile form the next batch. */
  atOnce: number;
  /** Whether a single item may have caused the error. */
  maybeOfOne(error: unknown): boolean;
};

/** For work that no caller waits for: how long a batch waits for more items, unless one is `urgent`. */
type Gathering<T> = { ms: number; urgent(item: T): boolean };

/**
 * Collects items while batches are in flight, and at least until all requests that arrived together have been read. `run` returns a
 * result for each item, in order. If a single item may have caused a batch to fail, each item is retried alone.
 */
export function batched<T, R>(
  run: (items: readonly T[]) => Promise<readonly R[]>,
  { most, atOnce, maybeOfOne }: BatchLimits,
  gathering?: Gathering<T>,
): Batched<T, R> {
  let waiting: Waiting<T, R>[] = [];
  let running = 0;
  let scheduled = false;

  async function settle(batch: readonly Waiting<T, R>[]): Promise<void> {
    try {
      const results = await run(batch.map(({ item }) => item));
      for (const [i, { resolve }] of batch.entries()) resolve(results[i]!);
    } catch (error) {
      if (batch.length === 1 || !maybeOfOne(error)) for (const { reject } of batch) reject(error);
      else await Promise.all(batch.map((one) => settle([one])));
    }
  }

  function flush(): void {
    scheduled = false;
    while (waiting.length > 0 && running < atOnce) {
      const batch = waiting.slice(0, most);
      waiting = waiting.slice(most);
      running++;
      void settle(batch).finally(() => {
        running--;
        if (gathering === undefined) flush();
        else schedule(false);
      });
    }
  }

  function schedule(isUrgent: boolean): void {
    if (running >= atOnce || waiting.length === 0) return;
    if (gathering && (isUrgent || waiting.length >= most)) flush();
    if (scheduled || waiting.length === 0) return;
    scheduled = true;
    if (gathering === undefined) setImmediate(flush);
    else setTimeout(flush, gathering.ms);
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      schedule(gathering?.urgent(item) ?? false);
    });
}
