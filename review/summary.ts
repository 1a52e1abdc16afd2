/** A request in a row of a list. Two with one title differ by it. */
import { andMore, payeesOf } from './paid.ts';
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
  const { first, more } = payeesOf(facts);
  const word = first !== undefined && /^(?:\d+: )?(?:spender|may take)$/.test(first.label) ? 'spender' : 'to';
  return {
    title,
    to: first === undefined ? '' : `${word} ${andMore(short(first.value), more)}`,
    danger: !readable ? 'Not readable' : warnings.some(({ level }) => level === 'red') ? 'Danger' : '',
  };
}
