import { isObject, type Json } from '../base/json.ts';
import type { OnRampStatus } from '../model/on-ramp.ts';

const PREFIX = /^FIAT_ON_RAMP_(?:BLOCKCHAIN_NETWORK|CRYPTO_CURRENCY|CURRENCY|PAYMENT_METHOD)_/;

/** A name of the interface without its prefix. */
export const afterPrefix = (name: string): string => name.replace(PREFIX, '');

/**
 * The status of a purchase by the provider's transactions for it, newest first. A person may try again after a failure, so a failure
 * counts if no other attempt is open.
 */
export function statusOf(
  transactions: readonly Json[],
  read: (transaction: { readonly [name: string]: unknown }) => OnRampStatus,
): OnRampStatus {
  const all = transactions.filter((one) => isObject(one)).map((one) => read(one));
  if (all.includes('COMPLETED')) return 'COMPLETED';
  return all.includes('PENDING') ? 'PENDING' : (all[0] ?? 'PENDING');
}
