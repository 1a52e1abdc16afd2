/** Two endpoints of one chain are no further apart, unless one of them is stale or lies. */
const APART = 150n;

/** The height of the chain, by several endpoints. */
export type BlockHeights = {
  readonly least: bigint;
  /** The greatest that another endpoint is near to; the greatest of all, if no two are near to each other. */
  readonly known: bigint;
  /** The same, but the least if no two are near to each other. It is not too great while one endpoint tells the truth. */
  readonly sure: bigint;
  /** Whether every endpoint answered. */
  readonly isAll: boolean;
};

/** Needs at least one height. */
export function heightsOf(heights: readonly bigint[], endpoints: number): BlockHeights {
  const sorted = heights.toSorted((a, b) => (a < b ? 1 : a > b ? -1 : 0));
  const agreed = sorted.find((height, i) => i + 1 < sorted.length && height - sorted[i + 1]! <= APART);
  const [greatest, least] = [sorted[0]!, sorted.at(-1)!];
  return { least, known: agreed ?? greatest, sure: agreed ?? least, isAll: heights.length === endpoints };
}
