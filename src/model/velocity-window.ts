import { Lru } from '../base/lru.ts';

/** What an aggregate is taken over. `transaction`: each activity alone. */
export type Window = (
  | { readonly kind: 'rolling'; readonly seconds: number }
  | { readonly kind: 'infinite' }
  | { readonly kind: 'transaction' }
  | { readonly kind: 'calendar'; readonly unit: CalendarUnit; readonly zone: string }
) & { readonly full?: Full | undefined };

/** From this time on, a whole limit counts in every counter, until that time has left the window. */
export type Full = Total & { readonly since: number };

export const CALENDAR_UNITS = ['day', 'week', 'month'] as const;
export type CalendarUnit = (typeof CALENDAR_UNITS)[number];

/** What was counted within one step of a window. Later steps have greater numbers. */
export type Step = { readonly number: number; readonly amount: bigint; readonly count: number };

export type Total = { readonly amount: bigint; readonly count: number };

/** A rolling window moves by whole steps. A step counts until all of it has left. */
const STEPS = 96;
/** A request may be recorded after one whose time is this much later. So a step is kept this long after it has left the window. */
const LATE_MS = 30_000;

const DAY = 86_400_000;

const msOf = ({ seconds }: { seconds: number }): number => seconds * 1000;
const widthOf = (window: { seconds: number }): number => Math.ceil(msOf(window) / STEPS);

/** Bounded, because a zone has a spelling for each case of its letters. */
const zones = new Lru<Intl.DateTimeFormat>(200);

/** Days since 1970 of the date that a clock in the zone shows. */
function localDay(now: number, zone: string): number {
  let format = zones.get(zone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-CA', { timeZone: zone, year: 'numeric', month: '2-digit', day: '2-digit' });
    zones.set(zone, format);
  }
  return Date.parse(format.format(now)) / DAY;
}

/** The first day of the period that a day is in. Weeks begin on Mondays; day 0 was a Thursday. */
function periodOf(day: number, unit: CalendarUnit): number {
  if (unit === 'day') return day;
  if (unit === 'week') return day - ((day + 3) % 7);
  return day + 1 - new Date(day * DAY).getUTCDate();
}

/** The number of the step of a time. */
function stepAt(window: Window, now: number): number {
  switch (window.kind) {
    case 'rolling':
      return Math.floor(now / widthOf(window));
    case 'calendar':
      return periodOf(localDay(now, window.zone), window.unit);
    default:
      return 0;
  }
}

/** The step that an amount is added to. An amount of an earlier time is added to the latest step. */
const currentStep = (window: Window, steps: readonly Step[], now: number): number =>
  Math.max(stepAt(window, now), steps.at(-1)?.number ?? 0);

/** The steps that count at a time, in order. Later ones count too: with them, no interval that has this time has more than the limit. */
export function liveSteps(window: Window, steps: readonly Step[], now: number): readonly Step[] {
  if (window.kind === 'transaction') return [];
  if (window.kind === 'infinite') return steps;
  if (window.kind === 'calendar') {
    const own = stepAt(window, now);
    return steps.filter(({ number }) => number >= own);
  }
  const width = widthOf(window);
  const since = now - msOf(window);
  return steps.filter(({ number }) => (number + 1) * width > since);
}

/** The steps that count at a time, or may count for a request that comes late. */
export const keptSteps = (window: Window, steps: readonly Step[], now: number): readonly Step[] =>
  liveSteps(window, steps, now - LATE_MS);

/** The same, with the limit that counts since a window is full. It is in no counter. */
export function countingSteps(window: Window, steps: readonly Step[], now: number): readonly Step[] {
  if (window.full === undefined) return liveSteps(window, steps, now);
  const { since, amount, count } = window.full;
  const number = stepAt(window, since);
  const behind = steps.findLastIndex((step) => step.number <= number) + 1;
  return liveSteps(window, steps.toSpliced(behind, 0, { number, amount, count }), now);
}

/** Whether what is counted at a time is still counted at a later one. */
export const countsStill = (window: Window, at: number, now: number): boolean =>
  liveSteps(window, [{ number: stepAt(window, at), amount: 0n, count: 1 }], now).length > 0;

export const totalOf = (steps: readonly Step[]): Total =>
  steps.reduce(({ amount, count }, step) => ({ amount: amount + step.amount, count: count + step.count }), {
    amount: 0n,
    count: 0,
  });

/** The kept steps with one more amount at a time. */
export function withAdded(window: Window, steps: readonly Step[], { amount, count }: Total, now: number): readonly Step[] {
  const number = currentStep(window, steps, now);
  const kept = keptSteps(window, steps, now);
  const last = kept.at(-1);
  if (last?.number !== number) return [...kept, { number, amount, count }];
  return [...kept.slice(0, -1), { number, amount: last.amount + amount, count: last.count + count }];
}

/** The steps without an amount that was added in a step. What has left the window is in none. */
export const withoutAdded = (steps: readonly Step[], number: number, { amount, count }: Total): readonly Step[] =>
  steps.map((step) => (step.number === number ? { number, amount: step.amount - amount, count: step.count - count } : step));

/** The first time of the period after the one of `now`. Found by halving, because zones change their clocks. */
function nextPeriod(window: Window & { kind: 'calendar' }, number: number, now: number): number {
  let [before, after] = [now, now + 33 * DAY];
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (stepAt(window, middle) > number) after = middle;
    else before = middle;
  }
  return after;
}

/**
 * When the totals that remain satisfy a condition, if nothing else is counted. Undefined: never. The times of the steps are those at
 * which each leaves the window.
 */
export function roomAt(window: Window, steps: readonly Step[], now: number, fits: (left: Total) => boolean): number | undefined {
  const live = countingSteps(window, steps, now);
  if (window.kind !== 'rolling' && window.kind !== 'calendar') return undefined;
  const leaves = (number: number): number =>
    window.kind === 'calendar' ? nextPeriod(window, number, now) : (number + 1) * widthOf(window) + msOf(window);
  let { amount, count } = totalOf(live);
  for (const step of live) {
    amount -= step.amount;
    count -= step.count;
    if (fits({ amount, count })) return leaves(step.number);
  }
  return undefined;
}
