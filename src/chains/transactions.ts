import { bitcoinTransaction } from './bitcoin/transaction.ts';
import { ethereumTransaction } from './ethereum/transaction.ts';
import type { TransactionType } from './shared/transaction.ts';
import { solanaTransaction } from './solana/transaction.ts';
import { tempoTransaction } from './tempo/transaction.ts';
import { tronTransaction } from './tron/transaction.ts';

/** Every transaction type, one row each. */
export const transactionTypes: readonly TransactionType[] = [
  ethereumTransaction,
  solanaTransaction,
  bitcoinTransaction,
  tronTransaction,
  tempoTransaction,
];

const byName = new Map(transactionTypes.map((type) => [type.name, type]));

/** `name`: TRANSACTION_TYPE_… Undefined if unknown. */
export function transactionType(name: string): TransactionType | undefined {
  return byName.get(name);
}
