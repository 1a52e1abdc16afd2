import { walk } from './evm/call.ts';
import type { Fact, Review } from './types.ts';

/** One line of what a vote is about. Each part is a text of the review. */
export type Summary = { readonly what: string; readonly amount: string; readonly to: string; readonly fingerprint: string };

const PAID = /^(?:to|to token account|output \d+)$/;
const AMOUNT = /^(?:amount|value|pays)$/;
const RECIPIENT = /^(?:to|recipient|spender|operator)$/;
const LONGEST = 120;

const isPaid = ({ kind, label, note }: Fact): boolean =>
  kind === 'address' && PAID.test(label) && !note?.startsWith('comes back');

/** Arguments of a token's call name its payee or spender: the transaction itself goes to the token. */
function payees({ facts, calls }: Review): string[] {
  const named = [...walk(calls)].flatMap(([, call]) =>
    call.arguments.filter(({ name, type }) => type === 'address' && RECIPIENT.test(name)),
  );
  const all = named.length > 0 ? named : facts.filter(isPaid);
  return [...new Set(all.map(({ value }) => value))];
}

const amounts = ({ facts }: Review): string[] =>
  facts
    .filter(({ kind, label, value }) => kind === 'amount' && AMOUNT.test(label) && value !== '0')
    .map(({ value, unit }) => (unit === undefined ? value : `${value} ${unit}`));

const andMore = ([first = '', ...more]: readonly string[]): string =>
  more.length === 0 ? first : `${first} and ${more.length} more`;

const cut = (text: string): string => {
  const line = text.replaceAll(/\s+/g, ' ');
  return line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line;
};

/** A title that sends says how much. One without an amount or payee gets the first fact. */
export function summaryOf(review: Review): Summary {
  const { title, facts, readable, fingerprint } = review;
  const amount = /^Send\b/.test(title) ? '' : andMore(amounts(review));
  const paid = payees(review);
  const to = paid.length === 1 && title.includes(paid[0]!) ? '' : andMore(paid);
  const [first] = facts;
  const about = amount === '' && paid.length === 0 && first ? `, ${first.label}: ${first.value}` : '';
  const what = `${cut(title + about)}${readable ? '' : ', which cannot be read whole'}`;
  return { what, amount, to, fingerprint: fingerprint.replace(/^sha256:/, '').slice(0, 8) };
}

export const summaryText = ({ what, amount, to, fingerprint }: Summary): string =>
  [what, amount, to && `to ${to}`, `fingerprint ${fingerprint}…`].filter((part) => part !== '').join(', ');
