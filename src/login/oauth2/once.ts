import type { Clock } from '../../base/clock.ts';
import { Unreachable } from '../../base/errors.ts';

/** How long an answer is kept: longer than a request lasts. */
const KEPT_MS = 60_000;

/** The most answers that are kept. */
const MOST = 4096;

/**
 * Does work once for each key for a while, and gives its answer to every caller. An authorization code works only once. But the
 * same body may arrive twice at the same time, or its decision may be made again. Temporary errors are not kept. `clock`:
 * elapsed time.
 */
export function onceAtATime<T>(clock: Clock): (key: string, work: () => Promise<T>) => Promise<T> {
  const kept = new Map<string, { answer: Promise<T>; at: number }>();

  function forgetOld(): void {
    for (const [key, { at }] of kept) {
      if (kept.size < MOST && clock.now() - at < KEPT_MS) return;
      kept.delete(key);
    }
  }

  return (key, work) => {
    forgetOld();
    const known = kept.get(key);
    if (known) return known.answer;
    const answer = work();
    const entry = { answer, at: clock.now() };
    kept.set(key, entry);
    answer.catch((error: unknown) => {
      if (error instanceof Unreachable && kept.get(key) === entry) kept.delete(key);
    });
    return answer;
  };
}
