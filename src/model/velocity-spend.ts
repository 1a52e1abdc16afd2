import { countingSteps, type Step, type Total, totalOf, type Window, withAdded } from './velocity-window.ts';
import type { NewWebhookEvent } from './webhook-event.ts';

export const OPERATORS = ['LESS_THAN', 'LESS_THAN_OR_EQUAL', 'EQUAL', 'GREATER_THAN_OR_EQUAL', 'GREATER_THAN'] as const;
export type Operator = (typeof OPERATORS)[number];

/** `one`: how many units of the threshold one transfer, or one whole unit of the assets, has. */
export type Comparison = {
  readonly method: 'SUM' | 'COUNT';
  readonly operator: Operator;
  readonly threshold: bigint;
  readonly one: bigint;
};

/** Tells of a counter that is nearly full. */
export type Alert = Comparison & { eventOf(total: Total, activityId: string, now: number): NewWebhookEvent };

/** What an activity adds to one counter of a control. */
export type Spend = Total & {
  readonly controlId: string;
  /** The counter; '' for that of the whole organization. */
  readonly bucket: string;
  readonly window: Window;
  /** It may be given back: a send that is accepted, and not yet in a block. */
  readonly isReserved?: boolean;
  /** The part of the amount that is a fee. */
  readonly fee?: bigint;
  /** The digest of the transaction, where it is counted at most once. */
  readonly reference?: string;
  /** What the decision rests on: whether the total with this spend satisfies the comparison. */
  readonly guard?: Comparison & { readonly holds: boolean };
  /** Only of limits. */
  readonly alert?: Alert;
};

/** The sum, or the count, in the unit of the threshold. */
export const aggregateOf = ({ method, one }: Comparison, { amount, count }: Total): bigint =>
  method === 'SUM' ? amount : BigInt(count) * one;

export function satisfies(comparison: Comparison, total: Total): boolean {
  const { operator, threshold } = comparison;
  const aggregate = aggregateOf(comparison, total);
  switch (operator) {
    case 'LESS_THAN':
      return aggregate < threshold;
    case 'LESS_THAN_OR_EQUAL':
      return aggregate <= threshold;
    case 'EQUAL':
      return aggregate === threshold;
    case 'GREATER_THAN_OR_EQUAL':
      return aggregate >= threshold;
    case 'GREATER_THAN':
      return aggregate > threshold;
  }
}

/** The total that is judged: what counts already, and what is added. */
export function totalWith(window: Window, steps: readonly Step[], { amount, count }: Total, now: number): Total {
  const counted = totalOf(countingSteps(window, steps, now));
  return { amount: counted.amount + amount, count: counted.count + count };
}

export const addsNothing = ({ amount, count }: Total): boolean => amount === 0n && count === 0;

/** The counter's steps with the spend. Undefined: its guard has changed. */
export function counted(spend: Spend, steps: readonly Step[], now: number): readonly Step[] | undefined {
  const { window, guard } = spend;
  if (guard !== undefined && satisfies(guard, totalWith(window, steps, spend, now)) !== guard.holds) return undefined;
  return addsNothing(spend) || window.kind === 'transaction' ? steps : withAdded(window, steps, spend, now);
}

/** At least four fifths of the threshold. */
const isNearlyFull = (comparison: Comparison, total: Total): boolean =>
  aggregateOf(comparison, total) * 5n >= comparison.threshold * 4n;

/** The event of a spend by which its counter gets nearly full. `steps`: with the spend. Undefined if it was so before, or is not. */
export function alertOf(
  { alert, window, amount, count }: Spend,
  steps: readonly Step[],
  activityId: string,
  now: number,
): NewWebhookEvent | undefined {
  if (alert === undefined) return undefined;
  const is = totalOf(countingSteps(window, steps, now));
  const was = { amount: is.amount - amount, count: is.count - count };
  return isNearlyFull(alert, is) && !isNearlyFull(alert, was) ? alert.eventOf(is, activityId, now) : undefined;
}
