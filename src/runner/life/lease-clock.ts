import type { Clock } from '../../base/clock.ts';

/** Never slower than either clock. Elapsed time stops while a machine sleeps, and its clock can be set back. In milliseconds. */
export function leaseClock(elapsed: Clock, machine: Clock): () => number {
  let ahead = Number.NEGATIVE_INFINITY;
  return () => {
    const now = elapsed.now();
    ahead = Math.max(ahead, machine.now() - now);
    return now + ahead;
  };
}
