import type { Budget } from './context.ts';

/** A finding about the votes or the clock, and the steps that it took. */
type Found<T> = { readonly value: T; readonly steps: number };

/** Findings of one decision, by their program or policy. */
export type Findings<T> = Map<object, Found<T>>;

/**
 * Each finding is made once for a batch, since no element changes it. Its steps are taken each time, so a decision has the outcome that it would
 * have without memory. Where they might not be left, it is found anew, and fails in the same place.
 */
export function once<T>(findings: Findings<T>, of: object, budget: Budget | undefined, find: () => T): T {
  const known = findings.get(of);
  if (known !== undefined && (budget === undefined || budget.left > known.steps)) {
    if (budget !== undefined) budget.left -= known.steps;
    return known.value;
  }
  const before = budget?.left ?? 0;
  const value = find();
  findings.set(of, { value, steps: before - (budget?.left ?? 0) });
  return value;
}
