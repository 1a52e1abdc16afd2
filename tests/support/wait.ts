import { setTimeout as sleep } from 'node:timers/promises';

/** Far longer than any step takes on a slow machine, and shorter than the runner waits for a file. */
const LONGEST_MS = 300_000;

type Found<T> = Exclude<T, undefined | null | false>;

/** A look may be a signed request: those of a long wait are fewer. */
const OFTEN_MS = 400;
const SELDOM_MS = 60;

/** Looks again and again until it finds something. `what`: for the error if that never happens. */
export async function waitFor<T>(what: string | (() => string), look: () => T | Promise<T>, everyMs?: number): Promise<Found<T>> {
  const began = performance.now();
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== null && found !== false) return found as Found<T>;
    const waited = performance.now() - began;
    if (waited > LONGEST_MS) throw new Error(`not in time: ${typeof what === 'string' ? what : what()}`);
    await sleep(everyMs ?? (waited < OFTEN_MS ? 20 : SELDOM_MS));
  }
}
