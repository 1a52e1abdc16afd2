import { CommandFailed } from '../../base/command-failed.ts';
import type { Send } from '../../model/send.ts';
import { coinsOf, type Kind, type Wish } from './wish.ts';

/** Unfinished sends that the paymaster pays for, and the most that they may still cost it. */
export type UnderWay = { count: number; units: bigint };

/** A withdrawal as it would be now. All but texts and counts in the smallest unit. */
export type Quote = {
  kind: Kind;
  from: string;
  to: string;
  amount: bigint;
  /** The most that it may cost. */
  fee: bigint;
  balance: bigint;
  underWay: UnderWay;
  /** Warnings for the operator before the withdrawal. */
  warnings: readonly string[];
};

/** The most rows of the paymaster that are read in each state. */
export const MOST = 10_000;

/** The organization id in the rows of a withdrawal: they belong to no organization. */
export const WITHDRAWING_ORGANIZATION = '00000000-0000-7000-8000-000000000000';

/** Throws rather than guess if there are too many to count. `all`: sends of some states, read with the limit `MOST`. */
export function requireCounted(...all: readonly (readonly Send[])[]): void {
  if (all.some(({ length }) => length >= MOST))
    throw new CommandFailed(`more than ${MOST} sends of the paymaster are pending: run the command again when they have ended`);
}

export const isWithdrawal = ({ organizationId }: Pick<Send, 'organizationId'>): boolean =>
  organizationId === WITHDRAWING_ORGANIZATION;

/**
 * The amount to send: never a part that the fee or pending sends may need. Throws CommandFailed.
 * - `least`: a further amount that must stay.
 * - `dust`: a smaller amount cannot stay, so that all may be this much more than was agreed to.
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
    ...(underWay.units === 0n ? [] : [`up to ${coins(underWay.units)} for ${underWay.count} pending sends`]),
    ...(least === 0n ? [] : [`${coins(least)} that Solana requires of an account`]),
  ];
  const most = free > 0n ? `${coins(free)} can be withdrawn now` : 'nothing can be withdrawn now';
  throw new CommandFailed(
    `the paymaster ${from} has ${coins(balance)} coins, and keeps ${kept.join(', ')}: ${most}${underWay.units === 0n ? '' : '. Wait until those sends have ended for the rest'}`,
  );
}
