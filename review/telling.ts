/** What a list of facts shows however long it is. */
import type { Fact } from './types.ts';

/** Where a transaction goes, who signs it, and which token an amount is of. With several payloads, a number is before it. */
const TELLS = /^(?:\d+: )?(?:network|signs with|signed by|token contract|owned by the program)$/;

const tells = ({ main, kind, label, note, before, others }: Fact): boolean =>
  main === true || kind === 'amount' || TELLS.test(label) || [note, before, others].some((each) => each !== undefined);

/**
 * Amounts, what leaves and where to, what changes, and what the review notes. Neighbours stay together, because an amount is that of the
 * account above it. Of runs that are equal as a whole, only the first.
 */
export function tellingOf(facts: readonly Fact[]): ReadonlySet<Fact> {
  const runs: Fact[][] = [];
  let isOpen = false;
  for (const fact of facts) {
    const isTelling = tells(fact);
    if (isTelling && isOpen && !(fact.main === true && fact.kind === 'address')) runs.at(-1)!.push(fact);
    else if (isTelling) runs.push([fact]);
    isOpen = isTelling;
  }
  const first = new Map<string, readonly Fact[]>();
  for (const run of runs) {
    const key = JSON.stringify(run);
    if (!first.has(key)) first.set(key, run);
  }
  return new Set([...first.values()].flat());
}
