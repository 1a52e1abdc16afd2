import { ApiError } from '../../base/errors.ts';
import { stepsIn, type VelocityControl, type VelocityCounter, type VelocityEntry } from '../../model/velocity-control.ts';
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

/** Reserved entries that one page reads. */
const MOST_RESERVED = 1_000;

type Page = { limit: number; after?: string | undefined };

/** A page of counters. That of the whole organization is there before anything is counted. */
async function countersOf(read: Reader, { control, groupBy, bySigner, byRecipient, window }: Terms, page: Page) {
  const { organizationId, id } = control;
  const found = await read.velocityCounters.buckets(organizationId, id, page);
  const isOne = groupBy === 'organization' && !bySigner && !byRecipient && window.kind !== 'transaction';
  if (!isOne || page.after !== undefined) return { found, next: found.length === page.limit ? found.at(-1)?.bucket : undefined };
  return { found: found.length > 0 ? found : [{ organizationId, controlId: id, bucket: '', steps: [] }], next: undefined };
}

/** The buckets of a page whose reserved entries were all read. There is at least one. `unread`: the bucket that may have more. */
function readIn(found: readonly VelocityCounter[], entries: readonly VelocityEntry[]) {
  const unread = entries.length < MOST_RESERVED ? undefined : entries.at(-1)!.bucket;
  if (unread === undefined) return { whole: found, unread };
  const at = found.findIndex(({ bucket }) => bucket === unread);
  // A bucket whose counter is gone has no place in the page.
  const read = new Set(entries.map(({ bucket }) => bucket));
  const behind = at >= 0 ? at : found.findLastIndex(({ bucket }) => read.has(bucket)) + 1;
  return { whole: found.slice(0, Math.max(1, behind)), unread };
}

/** A page of buckets. It ends early where too many entries are reserved. A bucket with too many entries of its own shows no reserved part. */
export async function standingsOf(
  read: Reader,
  terms: Terms,
  page: Page,
  now: number,
): Promise<{ standings: Standing[]; next: string | undefined }> {
  const { control, comparison, window } = terms;
  const { found, next } = await countersOf(read, terms, page);
  if (found.length === 0 || terms.assets === undefined)
    return { standings: found.map((counter) => standingOf(terms, counter, now)), next };
  const span = [found[0]!.bucket, found.at(-1)!.bucket] as const;
  const entries = await read.velocityCounters.reserved(control.organizationId, control.id, span, MOST_RESERVED);
  const { whole, unread } = readIn(found, entries);
  const live = Map.groupBy(
    entries.filter((entry) => !hasLeft(window, entry, now)),
    ({ bucket }) => bucket,
  );
  const standings = whole.map((counter) => {
    const standing = standingOf(terms, counter, now);
    if (counter.bucket === unread) return standing;
    const own = (live.get(counter.bucket) ?? []).map(({ amount, count }) => ({ amount: BigInt(amount), count }));
    return { ...standing, reserved: shown(aggregateOf(comparison, own.reduce(plus, NOTHING)), comparison.one) };
  });
  return { standings, next: whole.length < found.length ? whole.at(-1)!.bucket : next };
}

const plus = (a: Total, b: Total): Total => ({ amount: a.amount + b.amount, count: a.count + b.count });
