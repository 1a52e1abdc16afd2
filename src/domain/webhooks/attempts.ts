const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** The time until the next attempt, after 1, 2, … failed ones. The last repeats. */
const DELAYS_MS = [5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE, 2 * HOUR, 6 * HOUR] as const;
const SPREAD = 0.2;
const LONGEST_RETRY_AFTER_MS = HOUR;

/**
 * How long a delivery is tried, from its first attempt. An endpoint that took nothing for as long is paused, and keeps what it would
 * lose.
 */
export const TRIED_MS = 72 * HOUR;

/** A time, but not beyond the end of the 72 hours that began at `since`. If they have ended, it stays. */
export const withinTried = (at: number, since: number, now: number): number =>
  since + TRIED_MS > now ? Math.min(at, since + TRIED_MS) : at;

/** `chance`: from 0 to 1. Delays differ by up to a fifth, so that endpoints which failed together do not return together. */
export function delayAfter(failures: number, chance: number): number {
  const delay = DELAYS_MS[Math.min(failures, DELAYS_MS.length) - 1]!;
  return Math.round(delay * (1 - SPREAD + 2 * SPREAD * chance));
}

/** The wait that a receiver asks for: seconds, or a date (RFC 9110 §10.2.3). 0 if it is malformed. */
export function retryAfterMs(header: string | undefined, now: number): number {
  if (header === undefined) return 0;
  const ms = /^\d{1,10}$/.test(header) ? Number(header) * SECOND : Date.parse(header) - now;
  return Math.min(Math.max(ms || 0, 0), LONGEST_RETRY_AFTER_MS);
}

export type Outcome = 'delivered' | 'retry' | 'dead';

const RETRIED = new Set([408, 425, 429]);

/** What follows from the status of an answer. A redirect is not followed: it is as final as other refusals. */
export function outcomeOf(status: number): Outcome {
  if (status >= 200 && status < 300) return 'delivered';
  return status >= 500 || RETRIED.has(status) ? 'retry' : 'dead';
}

/** How long a paused endpoint keeps its events. */
export const KEPT_MS = 7 * DAY;
