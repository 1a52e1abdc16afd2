/**
 * Whether a payer may take one more place. A payer holds at most half as many as are free, so others always find some. A single
 * payer can hold a third of all.
 */
export const mayHaveMore = (own: number, free: number): boolean => own < Math.max(1, free / 2);

/** Counts by payer, or by another id. */
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

/** An organization, and the top-level one that it shares with. */
export type Sharer = { organizationId: string; payer: string };

/** Shares of payers, and of organizations in them. A user of one organization so takes no share of its parent or of others below it. */
export function sharesOf(most: number, mostOfPayer = most) {
  const payers = countsOf();
  const organizations = countsOf();
  return {
    mayHaveMore({ organizationId, payer }: Sharer): boolean {
      const free = most - payers.all();
      const own = payers.of(payer);
      if (free <= 0 || own >= mostOfPayer || !mayHaveMore(own, free)) return false;
      return mayHaveMore(organizations.of(organizationId), Math.min(mostOfPayer, free / 2) - own);
    },
    change({ organizationId, payer }: Sharer, by: number): void {
      payers.change(payer, by);
      organizations.change(organizationId, by);
    },
  };
}
