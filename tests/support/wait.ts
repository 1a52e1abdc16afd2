import { setTimeout as sleep } from 'node:timers/promises';

/** Far longer than any step takes on a slow machine, and shorter than the runner waits for a file. */
const LONGEST_MS = 300_000;

type Found<T> = Exclude<T, undefined | null | false>;

/** Looks again and again until it finds something. `what`: for the error if that never happens. */
export async function waitFor<T>(what: string | (() => string), look: () => T | Promise<T>, everyMs = 20): Promise<Found<T>> {
  const until = performance.now() + LONGEST_MS;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== null && found !== false) return found as Found<T>;
    if (performance.now() > until) throw new Error(`not in time: ${typeof what === 'string' ? what : what()}`);
    await sleep(everyMs);
  }
}
