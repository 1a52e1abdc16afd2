import { failPoint } from '../../../base/fail-point.ts';
import type { SendAccount } from '../../../model/send.ts';
import type { Writer } from '../../../store/types.ts';
import { Moved } from './rows.ts';
import type { EvmRow, Work } from './work.ts';

/** `costs`: what sends cost, which is told the gas last. */
export type Settling = { tx: Writer; row: SendAccount; now: number; costs: { send: EvmRow; units: bigint }[] };

/** Runs one transaction for what was found, and tells the gas last. Where a send changed meanwhile, all is looked up again later. */
export async function write<T>(
  work: Work,
  all: readonly T[],
  each: (settling: Settling, one: T) => Promise<void>,
): Promise<boolean> {
  if (all.length === 0) return false;
  await failPoint('before receipt');
  try {
    await work.claimed.transaction(async (tx, row) => {
      const settling: Settling = { tx, row, now: work.clock.now(), costs: [] };
      for (const one of all) await each(settling, one);
      for (const { send, units } of settling.costs)
        await (units === 0n ? work.gas.release(tx, send) : work.gas.settle(tx, send, units));
    });
  } catch (error) {
    if (error instanceof Moved) return false;
    throw error;
  }
  await failPoint('after receipt');
  return true;
}
