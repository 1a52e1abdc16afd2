import { failPoint } from '../../../../base/fail-point.ts';
import type { SendAccount } from '../../../../model/send.ts';
import type { Writer } from '../../../../store/types.ts';
import { apart, concernsAll } from './apart.ts';
import { ChangedMeanwhile } from './states.ts';
import type { EvmRow, Work } from './work.ts';

/** The cost of a send in addition to `spent`; while it is not over, the least cost. */
type Cost = { send: EvmRow; units: bigint; isOver: boolean };

/** `costs`: reported to the gas port last. `gaps`: a paymaster's cost of filling gaps, counted after the commit. */
export type Settling = { tx: Writer; row: SendAccount; now: number; costs: Cost[]; gaps: bigint[] };

type Each<T> = (settling: Settling, one: T) => Promise<void>;

async function writeTogether<T>(work: Work, all: readonly T[], each: Each<T>): Promise<boolean> {
  const gaps = await work.claimed.transaction(async (tx, row) => {
    const settling: Settling = { tx, row, now: work.clock.now(), costs: [], gaps: [] };
    for (const one of all) await each(settling, one);
    for (const { send, units, isOver } of settling.costs)
      await (isOver ? work.gas.settle(tx, send, units) : work.gas.cover(tx, send, units));
    return settling.gaps;
  });
  for (const units of gaps) work.gapsFilled(work.key.caip2, units);
  return true;
}

/**
 * Writes the findings of several sends in one transaction or, if that throws, each in a transaction of its own. Returns whether
 * anything was written. If a send changed meanwhile, all are looked up again later.
 */
export async function write<T extends { send: EvmRow }>(work: Work, all: readonly T[], each: Each<T>): Promise<boolean> {
  if (all.length === 0) return false;
  await failPoint('before receipt');
  let wrote = false;
  try {
    wrote = await writeTogether(work, all, each);
  } catch (error) {
    if (error instanceof ChangedMeanwhile) return false;
    if (concernsAll(error)) throw error;
    for (const one of all) if (await apart(work, one.send, () => writeTogether(work, [one], each))) wrote = true;
  }
  await failPoint('after receipt');
  return wrote;
}
