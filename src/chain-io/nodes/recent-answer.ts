import type { Clock } from '../../base/clock.ts';

/** Shares one answer among all callers within `milliseconds` after the question, unless it must be `fresh`. A failed question is asked again. */
export function recentAnswer<T>(elapsed: Clock, milliseconds: number, ask: () => Promise<T>): (fresh?: boolean) => Promise<T> {
  let last: { at: number; answer: Promise<T> } | undefined;
  return (fresh = false) => {
    const now = elapsed.now();
    if (!fresh && last !== undefined && now - last.at < milliseconds) return last.answer;
    const asked = { at: now, answer: ask() };
    last = asked;
    asked.answer.catch(() => {
      if (last === asked) last = undefined;
    });
    return asked.answer;
  };
}
