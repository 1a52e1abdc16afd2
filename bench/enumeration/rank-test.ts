/** Whether two samples can be told apart by size: the Mann-Whitney U test, two-sided, with midranks for ties. */
export type RankTest = {
  /** The probability of such a difference if the samples are alike. */
  p: number;
  /** How often an element of the first is larger than one of the second: 0.5 if they are alike. */
  larger: number;
};

/** The upper tail of the normal distribution: Abramowitz and Stegun, 26.2.17. */
function tail(z: number): number {
  const t = 1 / (1 + 0.2316419 * z);
  const series = [1.330274429, -1.821255978, 1.781477937, -0.356563782, 0.31938153].reduce((sum, c) => (sum + c) * t, 0);
  return (Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)) * series;
}

export function rankTest(first: readonly number[], second: readonly number[]): RankTest {
  const all = [...first.map((value) => ({ value, of: 1 })), ...second.map((value) => ({ value, of: 0 }))];
  all.sort((a, b) => a.value - b.value);
  let [ranks, ties] = [0, 0];
  for (let from = 0; from < all.length; ) {
    let to = from;
    while (to < all.length && all[to]!.value === all[from]!.value) to++;
    const same = to - from;
    for (let i = from; i < to; i++) ranks += all[i]!.of * ((from + to + 1) / 2);
    ties += same ** 3 - same;
    from = to;
  }
  const [n, m, both] = [first.length, second.length, all.length];
  const u = ranks - (n * (n + 1)) / 2;
  const spread = Math.sqrt(((n * m) / 12) * (both + 1 - ties / (both * (both - 1))));
  const z = spread === 0 ? 0 : Math.max(0, Math.abs(u - (n * m) / 2) - 0.5) / spread;
  return { p: Math.min(1, 2 * tail(z)), larger: u / (n * m) };
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)]!;
}
