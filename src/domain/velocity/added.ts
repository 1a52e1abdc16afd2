import { covers, type Reading, type Transfer } from '../../chains/shared/transfers.ts';
import type { Total } from '../../model/velocity-window.ts';
import type { Terms } from './terms.ts';

/** More than every threshold, in whole units: thresholds have at most 38 digits. */
const BEYOND_ALL = 10n ** 39n;

/** What a reading adds to a control. `unreadable`: why that cannot be told. `fee`: the part of the amount that is a fee. */
export type Added = Total & { readonly unreadable?: string; readonly reference?: string; readonly fee?: bigint };

/**
 * Whether a transfer is a fee that the control leaves out. The fee of Bitcoin is what the outputs leave of the inputs. The signer chooses
 * it, and may pay everything by it.
 */
export const isUncounted = ({ fees, comparison }: Terms, { kind, asset }: Transfer): boolean =>
  kind === 'fee' && !fees && (asset.namespace !== 'bip122' || comparison.method === 'COUNT');

/** A fee adds to the sum alone. An allowance without a limit exceeds every threshold. */
export function addedBy({ transfers, unreadable }: Reading, terms: Terms): Added {
  const { assets = [], comparison, onlyReadable, fees } = terms;
  let amount = 0n;
  let count = 0;
  let fee = 0n;
  for (const transfer of transfers) {
    if (isUncounted(terms, transfer)) continue;
    // Bytes that name no chain may be used on each one, so they take each asset that fits.
    const fitting = assets.filter(({ asset }) => covers(transfer.asset, asset));
    if (fitting.length === 0) continue;
    if (transfer.kind !== 'fee') count += 1;
    for (const { units } of fitting) {
      amount += transfer.amount * units;
      if (transfer.kind === 'fee') fee += transfer.amount * units;
    }
    if (transfer.repeats) amount += BEYOND_ALL * comparison.one;
  }
  const unread = onlyReadable
    ? undefined
    : unreadable.find((one) => (fees || one.cause !== 'fee') && assets.some(({ asset }) => covers(one, asset)));
  return { amount, count, ...(fee > 0n && { fee }), ...(unread && { unreadable: unread.why }) };
}
