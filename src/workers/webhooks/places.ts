import { countsOf, mayHaveMore } from '../share.ts';

/** Requests under way: in all, to endpoints that fail, and of one payer. */
type Shares = { all: number; probes: number; payer: number };

/** An endpoint that waits longer lets others in its place be claimed. */
const LONGEST_WAIT_MS = 2_000;

type Wish = { payer: string; isProbe: boolean };

export type Places = {
  /** Waits for a place, for a bounded time, but not for one of the payer's share. The result gives it back; undefined: there was none. */
  take(wish: Wish): Promise<(() => void) | undefined>;
  /** A further place, if there is one now. */
  more(wish: Wish): (() => void) | undefined;
};

/**
 * Endpoints that hang cannot take all places: those that fail have a part of them, and so does each payer. Its part is the smaller, the
 * fewer are free.
 */
export function placesOf(most: Shares): Places {
  const waiting = new Set<{ wish: Wish; begin(giveBack: () => void): void }>();
  const all = countsOf();
  const probes = countsOf();

  function count({ payer, isProbe }: Wish, more: 1 | -1): void {
    all.change(payer, more);
    if (isProbe) probes.change(payer, more);
  }

  const isFull = ({ payer, isProbe }: Wish): boolean =>
    all.of(payer) >= most.payer ||
    !mayHaveMore(all.of(payer), most.all - all.all()) ||
    (isProbe && !mayHaveMore(probes.of(payer), most.probes - probes.all()));

  function more(wish: Wish): (() => void) | undefined {
    if (all.all() >= most.all || (wish.isProbe && probes.all() >= most.probes) || isFull(wish)) return undefined;
    count(wish, 1);
    return () => {
      count(wish, -1);
      for (const one of waiting) {
        if (all.all() >= most.all) return;
        const giveBack = more(one.wish);
        if (giveBack === undefined) continue;
        waiting.delete(one);
        one.begin(giveBack);
      }
    };
  }

  return {
    more,
    take: async (wish) => {
      const giveBack = more(wish);
      if (giveBack !== undefined || isFull(wish)) return giveBack;
      return new Promise((resolve) => {
        const begin = (giveBack: () => void) => {
          clearTimeout(timer);
          resolve(giveBack);
        };
        const one = { wish, begin };
        const timer = setTimeout(() => {
          waiting.delete(one);
          resolve(undefined);
        }, LONGEST_WAIT_MS);
        waiting.add(one);
      });
    },
  };
}
