import { NotDone } from '../../base/not-done.ts';
import type { Send } from '../../model/send.ts';
import { coinsOf, type Kind, type Wish } from './wish.ts';

/** Sends that the paymaster pays for and that are not over, and the most that they may cost it yet. */
export type UnderWay = { count: number; units: bigint };

/** What a withdrawal would be, as things are. All but texts and counts in the smallest unit. */
export type Quote = {
  kind: Kind;
  from: string;
  to: string;
  amount: bigint;
  /** The most that it may cost. */
  fee: bigint;
  balance: bigint;
  underWay: UnderWay;
  /** What the operator should know before. */
  warnings: readonly string[];
};

/** The most rows of the paymaster that are read in each state. */
export const MOST = 10_000;

/** Those of a withdrawal belong to no organization. */
export const NOBODY = '00000000-0000-7000-8000-000000000000';

/** What cannot be counted is never guessed. `all`: sends of some states, of which so many were asked for. */
export function requireCounted(...all: readonly (readonly Send[])[]): void {
  if (all.some(({ length }) => length >= MOST))
    throw new NotDone(`more than ${MOST} sends of the paymaster are under way: run the command again when they are over`);
}

export const isWithdrawal = ({ organizationId }: Pick<Send, 'organizationId'>): boolean => organizationId === NOBODY;

/**
 * How much is sent: never what the fee or sends under way may need. `least`: what has to stay besides. `dust`: less than that cannot stay, so that
 * all may be so little more than was agreed to. Throws NotDone.
 */
export function amountFor(
  { amount, atMost }: Wish,
  { kind, from, fee, balance, underWay }: Omit<Quote, 'to' | 'amount' | 'warnings'>,
  { least = 0n, dust = 0n } = {},
): bigint {
  const coins = (units: bigint) => coinsOf(kind, units);
  const free = balance - fee - underWay.units - least;
  if (amount !== undefined && amount <= free) return amount;
  if (amount === undefined && free > 0n) return atMost !== undefined && atMost < free && atMost + dust <= free ? atMost : free;
  const kept = [
    `up to ${coins(fee)} for the fee`,
    ...(underWay.units === 0n ? [] : [`up to ${coins(underWay.units)} for ${underWay.count} sends under way`]),
    ...(least === 0n ? [] : [`${coins(least)} that Solana wants an account to keep`]),
  ];
  const most = free > 0n ? `${coins(free)} can be withdrawn now` : 'nothing can be withdrawn now';
  throw new NotDone(
    `the paymaster ${from} has ${coins(balance)} coins, and keeps ${kept.join(', ')}: ${most}${underWay.units === 0n ? '' : '. Wait until those sends are over for the rest'}`,
  );
}
