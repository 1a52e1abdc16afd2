/**
 * What is spent is added up in buckets of each of these widths. What was spent in a window that ends now is then the sum of few: of narrow
 * buckets where it begins, of wider ones from there on. The window may change at any time, and what was spent is known for each.
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

/** The time of other processes may be so far from this one's. What is later yet was spent by a clock that was taken back since. */
const APART = MINUTE;

const floor = (time: number, width: number): number => Math.floor(time / width) * width;
const ceil = (time: number, width: number): number => Math.ceil(time / width) * width;

export type Bucket = { width: number; startsAt: number; expiresAt: number };

/** The buckets that count what is spent at a time, one of each width. */
export const bucketsOf = (at: number): Bucket[] =>
  WIDTHS.map(({ width, kept }) => {
    const startsAt = floor(at, width);
    return { width, startsAt, expiresAt: startsAt + kept };
  });

/** Which width a window begins with: a second below an hour, a minute below a day, else an hour. */
const finestOf = (windowMs: number): number => (windowMs < HOUR ? 0 : windowMs < DAY ? 1 : 2);

/** The bucket in which a window begins counts whole: so much more than the window may be counted. */
export const stepOf = (windowMs: number): number => WIDTHS[finestOf(windowMs)]!.width;

/** Buckets of one width that start at `from` or later, and before `before`. */
export type Range = { width: number; from: number; before: number };

/** The buckets of the window that ends now: one range for each width, some without a bucket. At most some 200 buckets in all. */
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
