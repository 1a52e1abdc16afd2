import type { Clock } from '../base/clock.ts';

/** How long a result is reused, in milliseconds. */
const COUNTS = 1000;

/** The endpoint is public and each check writes to the database, so requests within a second share one result. */
export function readiness(look: (now: number) => Promise<void>, clock: Clock): () => Promise<void> {
  let last: { at: number; looked: Promise<void> } | undefined;
  return () => {
    const now = clock.now();
    if (last === undefined || Math.abs(now - last.at) >= COUNTS) last = { at: now, looked: look(now) };
    return last.looked;
  };
}
