import { type Reading, readingOf } from '../shared/transfers.ts';
import { fieldsTransfers } from './read-transfers.ts';
import { readSignedTransaction } from './signed-transaction.ts';

/** What a signed transaction takes from its signer. */
export const signedTransfers = (bytes: Uint8Array): Reading =>
  readingOf('eip155', () => {
    const { fields, from } = readSignedTransaction(bytes);
    return fieldsTransfers(fields, from);
  });
