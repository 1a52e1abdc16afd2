import { z } from 'zod';
import { ApiError, invalid } from '../../base/errors.ts';
import type { Step } from '../../model/velocity-window.ts';
import { Id } from '../../wire/common.ts';

/** Characters of a position with its counters: a request has at most 1 MiB. */
export const LONGEST_POSITION = 600_000;

/** A counter of a replay. `most`: the most that it had at any time. */
export type Reached = { readonly steps: readonly Step[]; readonly most: bigint };

const Whole = z
  .string()
  .regex(/^\d{1,100}$/)
  .transform(BigInt);
const Stored = z.tuple([
  Id,
  z.int().min(0),
  z.array(z.tuple([z.string().max(300), Whole, z.array(z.tuple([z.int(), Whole, z.int().min(0)])).max(1000)])),
]);

/** Where a replay is. `after`: an id. `until`: the last time, which stays the same. */
export type Place = { after: string; until: number };

/** The counters of a replay, in memory. They go with the position from one request to the next. */
export class ReplayedCounters {
  readonly #reached = new Map<string, Reached>();

  steps(bucket: string): Step[] {
    return [...(this.#reached.get(bucket)?.steps ?? [])];
  }

  put(bucket: string, { steps, most }: Reached): void {
    const before = this.#reached.get(bucket)?.most ?? 0n;
    this.#reached.set(bucket, { steps, most: most > before ? most : before });
  }

  /** The fullest first. */
  get fullest(): (readonly [bucket: string, reached: Reached])[] {
    return [...this.#reached].toSorted(([, a], [, b]) => (a.most === b.most ? 0 : a.most > b.most ? -1 : 1));
  }

  /** The text that the next request begins with. Throws LIMIT_EXCEEDED. */
  position({ after, until }: Place): string {
    const rows = [...this.#reached].map(([bucket, { steps, most }]) => [
      bucket,
      String(most),
      steps.map(({ number, amount, count }) => [number, String(amount), count]),
    ]);
    const text = JSON.stringify([after, until, rows]);
    if (text.length > LONGEST_POSITION)
      throw new ApiError(
        'LIMIT_EXCEEDED',
        `the draft counts in ${rows.length} buckets, too many to go on: give it a scope, or a shorter time`,
      );
    return text;
  }
}

/** A replay that begins at a time, or goes on at a position. Throws REQUEST_INVALID. */
export function replayFrom(begin: Place, position: string | undefined): Place & { counters: ReplayedCounters } {
  const counters = new ReplayedCounters();
  if (position === undefined) return { ...begin, counters };
  let stored: z.output<typeof Stored>;
  try {
    stored = Stored.parse(JSON.parse(position));
  } catch {
    throw invalid('after', 'must be the `next` of the previous answer');
  }
  const [after, until, rows] = stored;
  for (const [bucket, most, steps] of rows)
    counters.put(bucket, { most, steps: steps.map(([number, amount, count]) => ({ number, amount, count })) });
  return { after, until, counters };
}
