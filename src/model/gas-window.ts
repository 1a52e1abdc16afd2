/**
 * Amounts spent are added up in buckets of each of these widths. The amount in a window that ends now is then the sum of a few buckets.
 * The buckets are narrow at the beginning of the window, and wider after that. The length of the window may change at any time, because
 * the amount is known for each length.
 */
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** `kept`: how long a bucket is needed, because a window may begin in it. */
const WIDTHS = [
  { width: SECOND, kept: HOUR + MINUTE },
  { width: MINUTE, kept: DAY + HOUR },
  { width: HOUR, kept: 31 * DAY },
  { width: DAY, kept: 32 * DAY },
] as const;

/** 30 days. */
export const MOST_MINUTES = 43_200;

/** The maximum difference between the times of two processes. A later amount was spent before the clock was set back. */
const APART = MINUTE;

const floor = (time: number, width: number): number => Math.floor(time / width) * width;
const ceil = (time: number, width: number): number => Math.ceil(time / width) * width;

export type Bucket = { width: number; startsAt: number; expiresAt: number };

/** The buckets that count an amount spent at this time, one of each width. */
export const bucketsOf = (at: number): Bucket[] =>
  WIDTHS.map(({ width, kept }) => {
    const startsAt = floor(at, width);
    return { width, startsAt, expiresAt: startsAt + kept };
  });

/** The index of the width at the beginning of a window. Below an hour: a second. Below a day: a minute. Else: an hour. */
const finestOf = (windowMs: number): number => (windowMs < HOUR ? 0 : windowMs < DAY ? 1 : 2);

/** The first bucket of a window counts completely. So spending up to this long before the window may be counted too. */
export const stepOf = (windowMs: number): number => WIDTHS[finestOf(windowMs)]!.width;

/** Buckets of one width that start at `from` or later, and before `before`. */
export type Range = { width: number; from: number; before: number };

/** The buckets of the window that ends now, as one range for each width. Some ranges are empty. There are about 200 buckets at most. */
export function rangesOf(now: number, windowMs: number): Range[] {
  const finest = finestOf(windowMs);
  let from = floor(now - windowMs, WIDTHS[finest]!.width);
  return WIDTHS.map(({ width }, i) => {
    if (i < finest) return { width, from: 0, before: 0 };
    const wider = WIDTHS[i + 1]?.width;
    const range = { width, from, before: wider === undefined ? now + APART : ceil(from, wider) };
    from = range.before;
    return range;
  });
}
