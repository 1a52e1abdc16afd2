/** A request in a row of a list. Two with one title differ by it. */
import type { Review } from './types.ts';

export type Summary = {
  readonly title: string;
  /** The accounts that it pays or approves, shortened. '' for none. */
  readonly to: string;
  /** '' for none. */
  readonly danger: '' | 'Danger' | 'Not readable';
};

/** An address in a place that cannot hold it. */
const short = (address: string): string => (address.length <= 14 ? address : `${address.slice(0, 6)}…${address.slice(-4)}`);

export function summaryOf({ title, facts, warnings, readable }: Review): Summary {
  const paid = facts.filter(({ main, kind }) => main && kind === 'address');
  const [first, ...more] = new Set(paid.map(({ value }) => value));
  const others = more.length === 0 ? '' : ` and ${more.length} more`;
  const word = paid[0]?.label === 'spender' || paid[0]?.label === 'may take' ? 'spender' : 'to';
  return {
    title,
    to: first === undefined ? '' : `${word} ${short(first)}${others}`,
    danger: !readable ? 'Not readable' : warnings.some(({ level }) => level === 'red') ? 'Danger' : '',
  };
}
