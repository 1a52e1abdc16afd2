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
  const [first, ...more] = new Set(facts.flatMap(({ main, kind, value }) => (main && kind === 'address' ? [value] : [])));
  const others = more.length === 0 ? '' : ` and ${more.length} more`;
  return {
    title,
    to: first === undefined ? '' : `to ${short(first)}${others}`,
    danger: !readable ? 'Not readable' : warnings.some(({ level }) => level === 'red') ? 'Danger' : '',
  };
}
