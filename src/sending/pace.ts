import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../base/clock.ts';

/** What sending leaves to others: one for all accounts of a process. */
export type Pace = {
  /** Resolves when a batch may begin: at once while nobody else signs, in the order of asking otherwise. */
  turn(signal: AbortSignal): Promise<void>;
  /** So much was done in that turn, in whole sends. */
  did(sends: number): void;
  /** From the begin of an account's step to that of its next one, in milliseconds, if nothing else asks for more. */
  restMs(): number;
};

/** `signed`: signatures for others, counted since the start. `wait`: by tests. */
type Parts = { signed(): number; elapsed: Clock; wait?: (ms: number) => Promise<unknown> };

/** While others sign, one send begins in so long, on average: it takes the main thread about a tenth of that (docs/performance.md). */
const SEND_MS = 10;
/**
 * While others sign, sends that come one after the other for an account share steps: by itself, each takes the main thread several times what it
 * takes among others (docs/performance.md).
 */
const REST_MS = 200;
/** Others do not sign if nobody did for so long. */
const QUIET_MS = 25;

/** The least share that is kept for sending while others sign. What waits is in rows, so that a wait costs nothing else. */
export function pace({ signed, elapsed, wait = sleep }: Parts): Pace {
  let seen = signed();
  let seenAt = Number.NEGATIVE_INFINITY;
  let freeAt = Number.NEGATIVE_INFINITY;
  let last: Promise<void> = Promise.resolve();

  function isQuiet(): boolean {
    const count = signed();
    if (count !== seen) {
      seen = count;
      seenAt = elapsed.now();
    }
    return elapsed.now() - seenAt >= QUIET_MS;
  }

  async function free(before: Promise<void>, signal: AbortSignal): Promise<void> {
    await before;
    for (let left = freeAt - elapsed.now(); left > 0 && !signal.aborted; left = freeAt - elapsed.now()) {
      if (isQuiet()) break;
      await wait(Math.min(left, QUIET_MS));
    }
    // Whoever comes next waits for this one at least, whatever it will do.
    freeAt = elapsed.now() + SEND_MS;
  }

  return {
    turn(signal) {
      last = free(last, signal);
      return last;
    },
    did(sends) {
      freeAt += (sends - 1) * SEND_MS;
    },
    restMs: () => (isQuiet() ? 0 : REST_MS),
  };
}
