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

/** Endpoints that hang cannot take all places: those that fail have a part of them, and so does each payer. */
export function placesOf(most: Shares): Places {
  const payers = new Map<string, number>();
  const waiting = new Set<{ wish: Wish; begin(giveBack: () => void): void }>();
  let all = 0;
  let probes = 0;

  function count({ payer, isProbe }: Wish, more: 1 | -1): void {
    const now = (payers.get(payer) ?? 0) + more;
    if (now === 0) payers.delete(payer);
    else payers.set(payer, now);
    all += more;
    if (isProbe) probes += more;
  }

  const isFull = ({ payer }: Wish): boolean => (payers.get(payer) ?? 0) >= most.payer;

  function more(wish: Wish): (() => void) | undefined {
    if (all >= most.all || (wish.isProbe && probes >= most.probes) || isFull(wish)) return undefined;
    count(wish, 1);
    return () => {
      count(wish, -1);
      for (const one of waiting) {
        if (all >= most.all) return;
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
