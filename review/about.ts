/** One line of what a vote is about, for the buttons that cast it. A row of a list has a shorter one. */
import { amountsOf, andMore, payeesOf } from './paid.ts';
import type { Fact, Review } from './types.ts';

/** Each part is a text of the review. `to`: whole. */
export type About = { readonly what: string; readonly amount: string; readonly to: string; readonly fingerprint: string };

const LONGEST = 200;
const UNLIMITED_NOTE = 'as good as unlimited';

const cut = (text: string): string => {
  const line = text.replaceAll(/\s+/g, ' ');
  return line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line;
};

/** By the bytes alone, as in titles. The digits of a greatest number say less than its note. */
const amountText = ({ value, unit, note }: Fact): string =>
  cut(note === UNLIMITED_NOTE ? `an amount ${note}` : unit ? `${value} ${unit}` : value);

/** A title that sends says how much. One without an amount or payee gets the first fact. */
export function aboutOf({ title, facts, readable, fingerprint }: Review): About {
  const [paid, amounts] = [payeesOf(facts), amountsOf(facts)];
  const said = amounts.first === undefined ? '' : andMore(amountText(amounts.first), amounts.more);
  const amount = /^Send\b/.test(title) || cut(title).includes(`with ${said}`) ? '' : said;
  const [first] = facts;
  const more = amount === '' && paid.first === undefined && first ? `, ${first.label}: ${first.value}` : '';
  return {
    what: `${cut(title + more)}${readable ? '' : ', which cannot be read whole'}`,
    amount,
    to: paid.first === undefined ? '' : andMore(paid.first.value, paid.more),
    fingerprint: fingerprint.replace(/^sha256:/, '').slice(0, 8),
  };
}

export const aboutText = ({ what, amount, to, fingerprint }: About): string =>
  [what, amount, to && `to ${to}`, `fingerprint ${fingerprint}…`].filter((part) => part !== '').join(', ');
