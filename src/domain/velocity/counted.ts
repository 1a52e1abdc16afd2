import { covers, type Reading, type Transfer } from '../../chains/shared/transfers.ts';
import type { CountsBy } from '../../engine/decision/transfer-conditions.ts';
import type { Terms } from './terms.ts';

/** Whether a control counts the asset of a transfer. */
export const fits = ({ assets = [] }: Terms, { asset }: Transfer): boolean => assets.some((one) => covers(asset, one.asset));

/** What of a reading counts by the control's condition. `countsBy`: there if any control has one. */
export function countedOf(terms: Terms, reading: Reading, countsBy: CountsBy | undefined): Reading {
  const { condition } = terms;
  if (condition === undefined || countsBy === undefined) return reading;
  const { transfers, unreadable } = reading;
  return {
    transfers: transfers.filter((each) => fits(terms, each) && countsBy(condition, each)),
    unreadable: unreadable.length === 0 || countsBy(condition) ? unreadable : [],
  };
}
