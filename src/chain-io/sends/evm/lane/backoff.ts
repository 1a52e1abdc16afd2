import type { Clock } from '../../../../base/clock.ts';
import type { Log } from '../../../../engine/ports.ts';
import type { AccountKey } from '../../../../model/send.ts';
import { NoNodeError } from '../../../nodes/types.ts';
import { LostAccount } from '../../lane.ts';
import type { EvmRow } from './parts.ts';
import { ChangedMeanwhile } from './states.ts';

/** How long a failing send is left alone: the duration doubles each time. */
const REST = { first: 5_000, longest: 60_000 };
/** Failing sends of one account that are remembered. */
const MOST = 1_000;

/** The sends of an account that fail: how long each rests, and until when by elapsed time. */
export type Failing = Map<string, { rest: number; until: number }>;

export type Backoff = { failing: Failing; elapsed: Clock; log: Pick<Log, 'error'>; key: AccountKey };

/** Whether an error concerns more than one send: then the step ends, and is tried again later. */
export const concernsAll = (error: unknown): boolean => error instanceof NoNodeError || error instanceof LostAccount;

/**
 * Does a job for one send. Its error is logged once and stops no other send. The job is tried again later, with a longer wait each
 * time. Undefined: the job was not done.
 */
export async function withBackoff<T>(
  { failing, elapsed, log, key }: Backoff,
  { id }: EvmRow,
  job: () => Promise<T>,
): Promise<T | undefined> {
  const before = failing.get(id);
  if (before !== undefined && elapsed.now() < before.until) return undefined;
  try {
    const done = await job();
    failing.delete(id);
    return done;
  } catch (error) {
    if (error instanceof ChangedMeanwhile) return undefined;
    if (concernsAll(error)) throw error;
    if (before === undefined)
      log.error({ ...key, sendId: id, error }, 'a send is in trouble, and is looked at less often; others go on');
    const rest = before === undefined ? REST.first : Math.min(before.rest * 2, REST.longest);
    failing.set(id, { rest, until: elapsed.now() + rest });
    if (failing.size > MOST) failing.delete(failing.keys().next().value!);
    return undefined;
  }
}
