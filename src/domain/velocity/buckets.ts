import { ApiError } from '../../base/errors.ts';
import { stepsIn, type VelocityControl, type VelocityCounter } from '../../model/velocity-control.ts';
import { aggregateOf } from '../../model/velocity-spend.ts';
import { countingSteps, roomAt, type Total, totalOf } from '../../model/velocity-window.ts';
import type { Reader } from '../../store/types.ts';
import { isLimit } from './judged.ts';
import { hasLeft } from './prune.ts';
import { type Terms, termsOf } from './terms.ts';
import { shown } from './units.ts';

/** The control of a query, and how it counts. Throws NOT_FOUND. */
export async function controlOf(read: Reader, org: string, id: string): Promise<{ control: VelocityControl; terms: Terms }> {
  const control = await read.velocityControls.get(org, id);
  if (control === undefined) throw new ApiError('NOT_FOUND', `velocity control not found: velocityControlId names ${id}`);
  // Which kinds it covers is of no concern here.
  return { control, terms: termsOf(control, () => undefined) };
}

/** A bucket as it is at a time, in whole units. `roomAt`: when the next of what was counted leaves. `reserved`: the part that may come back. */
export type Standing = { bucket: string; counted: string; reserved?: string; left?: string; roomAt?: number };

const NOTHING: Total = { amount: 0n, count: 0 };

export function standingOf({ comparison, window, ...terms }: Terms, counter: VelocityCounter, now: number): Standing {
  const steps = stepsIn(counter.steps);
  const total = totalOf(countingSteps(window, steps, now));
  const counted = aggregateOf(comparison, total);
  const { threshold, one } = comparison;
  const room = roomAt(window, steps, now, (left) => left.count < total.count || left.amount < total.amount);
  return {
    bucket: counter.bucket,
    counted: shown(counted, one),
    ...(isLimit({ comparison, window, ...terms }) && { left: shown(threshold - counted, one) }),
    ...(counted > 0n && room !== undefined && { roomAt: room }),
  };
}

/** Entries of one page. With more, no bucket tells its reserved part. */
const MOST_RESERVED = 10_000;

/** A page of buckets. */
export async function standingsOf(
  read: Reader,
  terms: Terms,
  page: { limit: number; after?: string | undefined },
  now: number,
): Promise<Standing[]> {
  const { control, comparison, window } = terms;
  const { organizationId, id } = control;
  const found = await read.velocityCounters.buckets(organizationId, id, page);
  const standings = found.map((counter) => standingOf(terms, counter, now));
  if (found.length === 0 || terms.assets === undefined) return standings;
  const span = [found[0]!.bucket, found.at(-1)!.bucket] as const;
  const entries = await read.velocityCounters.reserved(organizationId, id, span, MOST_RESERVED);
  if (entries.length === MOST_RESERVED) return standings;
  const live = Map.groupBy(
    entries.filter((entry) => !hasLeft(window, entry, now)),
    ({ bucket }) => bucket,
  );
  return standings.map((standing) => {
    const own = (live.get(standing.bucket) ?? []).map(({ amount, count }) => ({ amount: BigInt(amount), count }));
    return { ...standing, reserved: shown(aggregateOf(comparison, own.reduce(plus, NOTHING)), comparison.one) };
  });
}

const plus = (a: Total, b: Total): Total => ({ amount: a.amount + b.amount, count: a.count + b.count });
