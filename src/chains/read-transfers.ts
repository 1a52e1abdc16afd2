import { transfers as bitcoin } from './bitcoin/read-transfers.ts';
import { transfers as ethereum } from './ethereum/transaction.ts';
import type { TransactionSigner } from './shared/transaction.ts';
import { NOTHING, type Reading } from './shared/transfers.ts';
import { transfers as solana } from './solana/read-transfers.ts';
import { transfers as tempo } from './tempo/read-transfers.ts';
import { transfers as tron } from './tron/read-transfers.ts';

type Read = (bytes: Uint8Array, signer: TransactionSigner, siblings?: readonly Uint8Array[]) => Reading;

/** By transaction type, one row each. */
export const transferReaders: ReadonlyMap<string, Read> = new Map<string, Read>([
  ['TRANSACTION_TYPE_ETHEREUM', ethereum],
  ['TRANSACTION_TYPE_SOLANA', solana],
  ['TRANSACTION_TYPE_BITCOIN', bitcoin],
  ['TRANSACTION_TYPE_TRON', tron],
  ['TRANSACTION_TYPE_TEMPO', tempo],
]);

/** What a transaction of this type takes from its signer. No other type is signed, so it takes nothing. */
export const transactionTransfers = (type: string, ...of: Parameters<Read>): Reading =>
  transferReaders.get(type)?.(...of) ?? NOTHING;
