import { ApiError } from '../../base/errors.ts';
import { stepsIn, type VelocityControl, type VelocityCounter } from '../../model/velocity-control.ts';
import { aggregateOf } from '../../model/velocity-spend.ts';
import { liveSteps, roomAt, totalOf } from '../../model/velocity-window.ts';
import type { Reader } from '../../store/types.ts';
import { isLimit } from './judged.ts';
import { type Terms, termsOf } from './terms.ts';
import { shown } from './units.ts';

/** The control of a query, and how it counts. Throws NOT_FOUND. */
export async function controlOf(read: Reader, org: string, id: string): Promise<{ control: VelocityControl; terms: Terms }> {
  const control = await read.velocityControls.get(org, id);
  if (control === undefined) throw new ApiError('NOT_FOUND', `velocity control not found: velocityControlId names ${id}`);
  // Which kinds it covers is of no concern here.
  return { control, terms: termsOf(control, () => undefined) };
}

/** A bucket as it is at a time, in whole units. `roomAt`: when the next of what was counted leaves. */
export type Standing = { bucket: string; counted: string; left?: string; roomAt?: number };

export function standingOf({ comparison, window, ...terms }: Terms, counter: VelocityCounter, now: number): Standing {
  const steps = stepsIn(counter.steps);
  const total = totalOf(liveSteps(window, steps, now));
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
