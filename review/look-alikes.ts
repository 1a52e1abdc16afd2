import { endsOf, spelled } from '../src/chains/look-alike.ts';
import { walk } from './evm/call.ts';
import type { Call, Fact, Warning } from './types.ts';

const ADDRESS = /^(?:0x[0-9a-fA-F]{40}|[1-9A-HJ-NP-Za-km-z]{25,44}|(?:bc|tb|bcrt)1[02-9ac-hj-np-z]{8,87})$/;

function* textsIn(facts: readonly Fact[], calls: readonly Call[]): Generator<string> {
  for (const { value } of facts) yield value;
  for (const [, { to, arguments: given }] of walk(calls)) {
    yield to;
    for (const { value } of given) yield value;
  }
}

/** Each address that a request shows, in one of its spellings, by the one that compares. */
export function addressesIn(facts: readonly Fact[], calls: readonly Call[]): Map<string, string> {
  const found = new Map<string, string>();
  for (const text of textsIn(facts, calls)) if (ADDRESS.test(text)) found.set(spelled(text), text);
  return found;
}

/** Addresses that differ, and begin and end alike. Attackers make such addresses. */
export function lookAlikes(facts: readonly Fact[], calls: readonly Call[]): Warning[] {
  const byEnds = Map.groupBy(addressesIn(facts, calls).values(), endsOf);
  return [...byEnds.values()].flatMap(([first, ...others]) =>
    others.map((other) => ({
      code: 'look-alike',
      level: 'red' as const,
      text: `${first} and ${other} begin and end alike, and are not the same`,
    })),
  );
}
