import type { Clock } from '../base/clock.ts';

/** How long a look counts, in milliseconds. */
const COUNTS = 1000;

/** Anybody may ask whether the service is ready, and each look writes to the database: one look answers all who ask within a second. */
export function readiness(look: (now: number) => Promise<void>, clock: Clock): () => Promise<void> {
  let last: { at: number; looked: Promise<void> } | undefined;
  return () => {
    const now = clock.now();
    if (last === undefined || Math.abs(now - last.at) >= COUNTS) last = { at: now, looked: look(now) };
    return last.looked;
  };
}
