import type { Clock } from './clock.ts';

/** A larger leap of the machine's clock, compared with elapsed time, is adopted only if it lasts. */
const LEAP_MS = 60_000;
const LASTS_MS = 10 * 60_000;

/** While the time is ahead of the machine's clock, it runs slower by this fraction. So a small difference disappears without a reset. */
const SLOWER = 0.001;

export type ServiceClock = Clock & {
  /** How often the time was set back. It never goes back otherwise. */
  readonly resets: number;
  /** The machine's clock minus the service's time. `adoptedIn`: how long a leap must still last until it is adopted. */
  difference(): { ms: number; adoptedIn?: number };
  /** Moves the time forward to a time that another process of the same database has reached. */
  learn(time: number): void;
  /** Sets the time back. */
  reset(time: number, resets: number): void;
};

/**
 * The service's time. Apart from `reset` it never decreases, is never less than `start`, and runs as fast as `elapsed`. It follows the
 * machine's clock if that is ahead by at most a minute. A larger leap may be a mistake. It is adopted after it has lasted for ten
 * minutes.
 */
export function serviceClock(machine: Clock, elapsed: Clock, start: number, resets = 0): ServiceClock {
  let time = start;
  let at = elapsed.now();
  /** The leap that is not adopted yet: its beginning, and how far the machine's clock is ahead of elapsed time. */
  let leap: { since: number; ahead: number } | undefined;

  function follow(): number {
    const now = elapsed.now();
    const passed = Math.max(0, now - at);
    at = now;
    time += passed;
    const ms = machine.now() - time;
    if (ms <= LEAP_MS) {
      leap = undefined;
      time += ms >= 0 ? ms : -Math.min(-ms, passed * SLOWER);
      return now;
    }
    const ahead = time + ms - now;
    if (leap === undefined || Math.abs(ahead - leap.ahead) > LEAP_MS) leap = { since: now, ahead };
    if (now - leap.since < LASTS_MS) return now;
    leap = undefined;
    time += ms;
    return now;
  }

  return {
    now() {
      follow();
      return Math.floor(time);
    },
    get resets() {
      return resets;
    },
    difference() {
      const now = follow();
      const ms = Math.round(machine.now() - time);
      return leap === undefined ? { ms } : { ms, adoptedIn: LASTS_MS - (now - leap.since) };
    },
    learn(reached) {
      follow();
      time = Math.max(time, reached);
    },
    reset(to, count) {
      time = to;
      at = elapsed.now();
      leap = undefined;
      resets = count;
    },
  };
}
