/** The accounts that a review pays or approves, and its amounts, for one line. */
import { FROM_TABLE } from '../src/chains/solana/instructions.ts';
import type { Fact } from './types.ts';

export const andMore = (first: string, more: number): string => (more === 0 ? first : `${first} and ${more} more`);

const ofKind = (facts: readonly Fact[], kind: Fact['kind']): Fact[] => facts.filter((one) => one.main && one.kind === kind);

const cut = (facts: readonly Fact[], what: 'payees' | 'amounts'): number =>
  facts.reduce((sum, { others }) => sum + (others?.[what] ?? 0), 0);

/** `more`: accounts besides the first, each once. */
export function payeesOf(facts: readonly Fact[]): { first: Fact | undefined; more: number } {
  const paid = ofKind(facts, 'address');
  // Each of a lookup table may be another one.
  const accounts = new Set(paid.map(({ value }, i) => (value === FROM_TABLE ? `${i}` : value))).size;
  return { first: paid[0], more: Math.max(accounts - 1, 0) + cut(facts, 'payees') };
}

export function amountsOf(facts: readonly Fact[]): { first: Fact | undefined; more: number } {
  const amounts = ofKind(facts, 'amount');
  return { first: amounts[0], more: Math.max(amounts.length - 1, 0) + cut(facts, 'amounts') };
}
