import type { Clock } from '../../../../base/clock.ts';

/** A value that is asked for at most once in `ms` milliseconds, for all callers, unless it must be `fresh`. */
export function cached<T>(elapsed: Clock, ms: number, ask: () => Promise<T>): (fresh?: boolean) => Promise<T> {
  let at = Number.NEGATIVE_INFINITY;
  let value: Promise<T> | undefined;
  return (fresh = false) => {
    if (fresh || value === undefined || elapsed.now() - at > ms) {
      at = elapsed.now();
      const asked = ask();
      value = asked;
      asked.catch(() => {
        if (value === asked) value = undefined;
      });
    }
    return value;
  };
}
