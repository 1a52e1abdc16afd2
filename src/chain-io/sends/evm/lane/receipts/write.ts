import { failPointsAround } from '../../../../../base/fail-point.ts';
import type { SendAccount } from '../../../../../model/send.ts';
import type { Writer } from '../../../../../store/types.ts';
import { type Backoff, concernsAll, withBackoff } from '../backoff.ts';
import type { Costs, EvmLaneParts, EvmRow, Owner } from '../parts.ts';
import { ChangedMeanwhile } from '../states.ts';

/** The cost of a send in addition to `spent`; while it has not ended, the least cost. */
type Cost = { send: EvmRow; units: bigint; isOver: boolean };

/** One transaction. `costs`: reported to the gas port last. `gaps`: a paymaster's cost of filling gaps, counted after the commit. */
export type Settling = { tx: Writer; row: SendAccount; now: number; costs: Cost[]; gaps: bigint[] };

type Each<T> = (settling: Settling, one: T) => Promise<void>;

/** What writing receipts needs. */
export type ReceiptWriter = Owner & Costs & Pick<EvmLaneParts, 'gapsFilled'> & Backoff;

async function writeTogether<T>(writer: ReceiptWriter, all: readonly T[], each: Each<T>): Promise<boolean> {
  const { claimed, clock, gas, key, gapsFilled } = writer;
  const gaps = await claimed.transaction(async (tx, row) => {
    const settling: Settling = { tx, row, now: clock.now(), costs: [], gaps: [] };
    for (const one of all) await each(settling, one);
    for (const { send, units, isOver } of settling.costs)
      await (isOver ? gas.settle(tx, send, units) : gas.cover(tx, send, units));
    return settling.gaps;
  });
  for (const units of gaps) gapsFilled(key.caip2, units);
  return true;
}

/**
 * Writes the findings of several sends in one transaction or, if that throws, each in a transaction of its own. Returns whether
 * anything was written. If a send changed meanwhile, all are looked up again later.
 */
export async function writeReceipts<T extends { send: EvmRow }>(
  writer: ReceiptWriter,
  all: readonly T[],
  each: Each<T>,
): Promise<boolean> {
  if (all.length === 0) return false;
  return failPointsAround('receipt', async () => {
    try {
      return await writeTogether(writer, all, each);
    } catch (error) {
      if (error instanceof ChangedMeanwhile) return false;
      if (concernsAll(error)) throw error;
    }
    let wrote = false;
    for (const one of all) if (await withBackoff(writer, one.send, () => writeTogether(writer, [one], each))) wrote = true;
    return wrote;
  });
}
