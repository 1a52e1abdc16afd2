/** How soon after an event the chain is asked again, and how that grows while nothing happens. In milliseconds. */
const POLL = { first: 25, growth: 1.6, longest: 2_000 };

/** How often receipts of an account are asked for. */
export type Polling = {
  /** Something happened: more may soon. */
  reset(): void;
  /** Nothing happened. Returns how long to wait. */
  next(): number;
};

export function polling(): Polling {
  let ms = POLL.first;
  return {
    reset() {
      ms = POLL.first;
    },
    next() {
      const now = ms;
      ms = Math.min(ms * POLL.growth, POLL.longest);
      return now;
    },
  };
}
