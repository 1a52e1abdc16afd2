import { NoNodeError } from '../../../nodes/types.ts';
import { LostAccount } from '../../lane.ts';
import { ChangedMeanwhile } from './states.ts';
import type { EvmRow, Work } from './work.ts';

/** How long a send in trouble is left alone: the duration doubles each time. */
const REST = { first: 5_000, longest: 60_000 };
/** Sends of one account whose trouble is remembered. */
const MOST = 1_000;

/** Whether an error concerns more than one send: then the step ends, and is tried again later. */
export const concernsAll = (error: unknown): boolean => error instanceof NoNodeError || error instanceof LostAccount;

/**
 * Does a job for one send, apart from others. An error is logged once, and the send is left alone, longer each time. Undefined: the
 * job was not done.
 */
export async function apart<T>(
  { memory, elapsed, log, key }: Work,
  { id }: EvmRow,
  job: () => Promise<T>,
): Promise<T | undefined> {
  const { troubles } = memory;
  const before = troubles.get(id);
  if (before !== undefined && elapsed.now() < before.until) return undefined;
  try {
    const done = await job();
    troubles.delete(id);
    return done;
  } catch (error) {
    if (error instanceof ChangedMeanwhile) return undefined;
    if (concernsAll(error)) throw error;
    if (before === undefined)
      log.error({ ...key, sendId: id, error }, 'a send is in trouble, and is looked at less often; others go on');
    const rest = before === undefined ? REST.first : Math.min(before.rest * 2, REST.longest);
    troubles.set(id, { rest, until: elapsed.now() + rest });
    if (troubles.size > MOST) troubles.delete(troubles.keys().next().value!);
    return undefined;
  }
}
