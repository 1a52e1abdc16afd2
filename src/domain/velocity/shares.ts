import { covers, type Reading, type Transfer } from '../../chains/shared/transfers.ts';
import { bucketOf, type Part } from './parts.ts';
import type { Terms } from './terms.ts';

export type Share = readonly [bucket: string, reading: Reading];

/** Whether a control counts the asset of a transfer. */
export const fits = ({ assets = [] }: Terms, { asset }: Transfer): boolean =>
  assets.some((one) => covers(asset, one.asset));

const NAMELESS = 'its recipient is not in what is signed';

/** What a part moves, for each counter that it adds to. Without a recipient, an amount is not readable: its counter is unknown. */
export function sharesOf(terms: Terms, part: Part, userId: string): readonly Share[] {
  const { transfers, unreadable } = part.reading;
  const bucket = bucketOf(terms, part, userId);
  if (!terms.byRecipient) return [[bucket, part.reading]];
  const byRecipient = new Map<string, Transfer[]>();
  const unknown = [...unreadable];
  for (const transfer of transfers) {
    const { recipient, asset, kind } = transfer;
    if (kind === 'fee' || !fits(terms, transfer)) continue;
    if (recipient === undefined) unknown.push({ ...asset, cause: 'recipient', why: NAMELESS });
    else if (byRecipient.has(recipient)) byRecipient.get(recipient)!.push(transfer);
    else byRecipient.set(recipient, [transfer]);
  }
  const named = [...byRecipient].map(([recipient, own]): Share => [`${bucket}/${recipient}`, { transfers: own, unreadable: [] }]);
  if (named.length > 0 && unknown.length === 0) return named;
  return [[`${bucket}/`, { transfers: [], unreadable: unknown }], ...named];
}
