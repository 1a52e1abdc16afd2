/** How many policies of each outcome a record or a refusal names: one request must not store or list thousands. */
const MOST_NAMED = 100;

/** The first evaluations of each outcome. */
export function named<E extends { readonly outcome: string }>(evaluations: readonly E[]): E[] {
  const counts = new Map<string, number>();
  return evaluations.filter(({ outcome }) => {
    const count = (counts.get(outcome) ?? 0) + 1;
    counts.set(outcome, count);
    return count <= MOST_NAMED;
  });
}

/** The first ids, and the number of further ones. */
export function namedIds(ids: readonly string[]): string {
  const more = ids.length - MOST_NAMED;
  return more <= 0 ? ids.join(', ') : `${ids.slice(0, MOST_NAMED).join(', ')} and ${more} more`;
}
