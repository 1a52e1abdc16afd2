import { walk } from './evm/call.ts';
import type { Call, Fact, Warning } from './types.ts';

const ADDRESS = /^(?:0x[0-9a-fA-F]{40}|[1-9A-HJ-NP-Za-km-z]{25,44}|(?:bc|tb|bcrt)1[02-9ac-hj-np-z]{8,87})$/;

/** What people compare: the first and the last four characters, without the start that all addresses of a kind share. */
function ends(address: string): string {
  const text = address.replace(/^(?:0x|(?:bc|tb|bcrt)1[qp]?|T)/, '');
  const same = address.startsWith('0x') ? text.toLowerCase() : text;
  return `${same.slice(0, 4)} ${same.slice(-4)}`;
}

const keyOf = (address: string): string => (address.startsWith('0x') ? address.toLowerCase() : address);

function* addressesIn(facts: readonly Fact[], calls: readonly Call[]): Generator<string> {
  for (const { value } of facts) yield value;
  for (const [, { to, arguments: given }] of walk(calls)) {
    yield to;
    for (const { value } of given) yield value;
  }
}

/** Addresses that differ, and begin and end alike. Attackers make such addresses. */
export function lookAlikes(facts: readonly Fact[], calls: readonly Call[]): Warning[] {
  const byEnds = new Map<string, Map<string, string>>();
  for (const address of addressesIn(facts, calls)) {
    if (!ADDRESS.test(address)) continue;
    const same = byEnds.get(ends(address)) ?? new Map<string, string>();
    byEnds.set(ends(address), same.set(keyOf(address), address));
  }
  return [...byEnds.values()].flatMap((same) => {
    const [first, ...others] = same.values();
    return others.map((other) => ({
      code: 'look-alike',
      level: 'red' as const,
      text: `${first} and ${other} begin and end alike, and are not the same`,
    }));
  });
}
