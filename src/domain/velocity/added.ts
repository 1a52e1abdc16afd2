import { covers, type Reading } from '../../chains/shared/transfers.ts';
import type { Total } from '../../model/velocity-window.ts';
import type { Terms } from './terms.ts';

/** More than every threshold, in whole units: thresholds have at most 38 digits. */
const BEYOND_ALL = 10n ** 39n;

/** What a reading adds to a control. `unreadable`: why that cannot be told. */
export type Added = Total & { readonly unreadable?: string };

/** A fee adds to the sum alone, and only if the control counts fees. An allowance without a limit exceeds every threshold. */
export function addedBy({ transfers, unreadable }: Reading, { assets = [], comparison, onlyReadable, fees }: Terms): Added {
  let amount = 0n;
  let count = 0;
  for (const transfer of transfers) {
    if (transfer.kind === 'fee' && !fees) continue;
    // Bytes that name no chain may be used on each one, so they take each asset that fits.
    const fitting = assets.filter(({ asset }) => covers(transfer.asset, asset));
    if (fitting.length === 0) continue;
    if (transfer.kind !== 'fee') count += 1;
    for (const { units } of fitting) amount += transfer.amount * units;
    if (transfer.repeats) amount += BEYOND_ALL * comparison.one;
  }
  const unread = onlyReadable
    ? undefined
    : unreadable.find((one) => (fees || one.cause !== 'fee') && assets.some(({ asset }) => covers(one, asset)));
  return { amount, count, ...(unread && { unreadable: unread.why }) };
}
