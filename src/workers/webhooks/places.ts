import { type Sharer, sharesOf } from '../share.ts';

/** Requests under way: in all, to endpoints that fail, and of one payer. `waiting`: endpoints that wait for their first request. */
type Most = { all: number; probes: number; payer: number; waiting: number };

/** An endpoint that waits longer lets others in its place be claimed. */
const LONGEST_WAIT_MS = 2_000;

type Wish = Sharer & { isProbe: boolean };

export type Places = {
  /** Waits for a place, for a bounded time. The result gives it back; undefined: there was none. */
  take(wish: Wish): Promise<(() => void) | undefined>;
  /** A further place, if there is one now. */
  more(wish: Wish): (() => void) | undefined;
};

/**
 * Endpoints that hang cannot take all places. Those that fail have a part of them, each payer too, and each organization in it. Its part is
 * the smaller, the fewer are free. Those that wait get places in their order, and share the room to wait likewise.
 */
export function placesOf(most: Most): Places {
  const waiting = new Set<{ wish: Wish; begin(giveBack: () => void): void }>();
  const all = sharesOf(most.all, most.payer);
  const probes = sharesOf(most.probes);
  const waits = sharesOf(most.waiting);

  function count(wish: Wish, more: 1 | -1): void {
    all.change(wish, more);
    if (wish.isProbe) probes.change(wish, more);
  }

  function more(wish: Wish): (() => void) | undefined {
    if (!all.mayHaveMore(wish) || (wish.isProbe && !probes.mayHaveMore(wish))) return undefined;
    count(wish, 1);
    return () => {
      count(wish, -1);
      for (const one of waiting) {
        const giveBack = more(one.wish);
        if (giveBack !== undefined) one.begin(giveBack);
      }
    };
  }

  return {
    more,
    take: async (wish) => {
      const giveBack = more(wish);
      if (giveBack !== undefined || !waits.mayHaveMore(wish)) return giveBack;
      return new Promise((resolve) => {
        const end = (giveBack?: () => void) => {
          clearTimeout(timer);
          waiting.delete(one);
          waits.change(wish, -1);
          resolve(giveBack);
        };
        const one = { wish, begin: end };
        const timer = setTimeout(end, LONGEST_WAIT_MS);
        waiting.add(one);
        waits.change(wish, 1);
      });
    },
  };
}
