import type { Reading, Transfer } from '../../chains/shared/transfers.ts';
import type { CountsBy } from '../../engine/decision/transfer-conditions.ts';
import { isUncounted } from './added.ts';
import { countedOf, fits } from './counted.ts';
import { bucketOf, type Part } from './parts.ts';
import type { Terms } from './terms.ts';

export type Share = readonly [bucket: string, reading: Reading];

const NAMELESS = 'its recipient is not in what is signed';

/** The recipient of fees in the names of counters. */
const FEES = '';

/** Whether a counter by recipients has no recipient. */
export const isOfFees = (bucket: string): boolean => bucket.endsWith('/');

/**
 * What a part moves, for each counter that it adds to. Fees have one counter together. Without a recipient, another amount is not
 * readable: its counter is unknown.
 */
export function sharesOf(terms: Terms, part: Part, userId: string, countsBy?: CountsBy): readonly Share[] {
  const reading = countedOf(terms, part.reading, countsBy);
  const { transfers, unreadable } = reading;
  const bucket = bucketOf(terms, part, userId);
  if (!terms.byRecipient) return [[bucket, reading]];
  const byRecipient = new Map<string, Transfer[]>();
  const unknown = [...unreadable];
  for (const transfer of transfers) {
    const { asset, kind } = transfer;
    if (isUncounted(terms, transfer) || !fits(terms, transfer)) continue;
    const recipient = kind === 'fee' ? FEES : transfer.recipient;
    if (recipient === undefined) unknown.push({ ...asset, cause: 'recipient', why: NAMELESS });
    else if (byRecipient.has(recipient)) byRecipient.get(recipient)!.push(transfer);
    else byRecipient.set(recipient, [transfer]);
  }
  const named = [...byRecipient].map(([recipient, own]): Share => [`${bucket}/${recipient}`, { transfers: own, unreadable: [] }]);
  if (named.length > 0 && unknown.length === 0) return named;
  return [[`${bucket}/${FEES}`, { transfers: [], unreadable: unknown }], ...named];
}
