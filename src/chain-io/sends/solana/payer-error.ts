import type { Send } from '../../../model/send.ts';
import type { SendError } from '../error.ts';

/** The network's errors when the account that pays the fee, the first of a transaction, has too little for it. */
const POOR = new Set(['"AccountNotFound"', '"InsufficientFundsForFee"', '{"InsufficientFundsForRent":{"account_index":0}}']);

/** Adds the payer to the error: the network does not say whose coins it means. */
export function withPayer({ account, sponsored }: Pick<Send, 'account' | 'sponsored'>, error: SendError): SendError {
  if (!POOR.has(error.solana?.transactionErrorJson ?? '')) return error;
  const text = sponsored
    ? `the paymaster ${account} has too few coins for the fee, and its operator must send it more`
    : `${account} has too few coins for the fee`;
  return { ...error, message: `${text}: ${error.message}` };
}
