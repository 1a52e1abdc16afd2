import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../base/clock.ts';

/** Limits how much sending takes from other work: one for all accounts of a process. */
export type Pace = {
  /** Resolves when a batch may begin: immediately while no other work signs, in the order of asking otherwise. */
  turn(signal: AbortSignal): Promise<void>;
  /** The work done in that turn, in whole sends. */
  did(sends: number): void;
  /** The least time between the starts of two steps of an account, in milliseconds. */
  restMs(): number;
};

/** `signed`: signatures for other requests, counted since the start. `wait`: replaced by tests. */
type Parts = { signed(): number; elapsed: Clock; wait?: (ms: number) => Promise<unknown> };

/**
 * While others sign, one send begins per this duration, on average. A send takes the main thread about a tenth of that
 * (docs/performance.md).
 */
const SEND_MS = 10;
/**
 * While others sign, sends that come one after the other for an account share steps. A send by itself takes the main thread several
 * times as long as among others (docs/performance.md).
 */
const REST_MS = 200;
/** Others count as not signing after this time without a signature. */
const QUIET_MS = 25;

/** Keeps a minimum share for sending while others sign. Waiting sends are in rows, so that a wait costs nothing else. */
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
    // The next turn waits at least for this one, however much this one does.
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
