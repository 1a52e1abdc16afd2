/**
 * Whether a payer may take one more place. A payer holds at most half as many as are free, so others always find some. A single
 * payer can hold a third of all.
 */
export const mayHaveMore = (own: number, free: number): boolean => own < Math.max(1, free / 2);

/** Counts by payer. */
export function countsOf() {
  const counts = new Map<string, number>();
  let all = 0;
  return {
    all: () => all,
    of: (payer: string): number => counts.get(payer) ?? 0,
    change(payer: string, by: number): void {
      const now = (counts.get(payer) ?? 0) + by;
      if (now === 0) counts.delete(payer);
      else counts.set(payer, now);
      all += by;
    },
  };
}
