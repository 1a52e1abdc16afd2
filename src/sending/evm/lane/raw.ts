import { readSignedTransaction } from '../../../chains/ethereum/signed-transaction.ts';
import type { EvmRow, Work } from './work.ts';

/** How long a receipt may come after the nonce that it used, if every endpoint answers; and if not. */
const RECEIPT_MS = { all: 5_000, some: 600_000 };

/** Whether a raw transaction whose nonce is used is what used it: whoever signed it may have sent it too. */
export async function rawInBlock({ node, clock }: Work, { intent, createdAt }: EvmRow): Promise<'yes' | 'no' | 'unsure'> {
  const { hash } = readSignedTransaction(Buffer.from(intent.signed!.slice(2), 'hex'));
  const { value, answered, endpoints } = await node.receipt(hash);
  if (value !== undefined) return 'yes';
  return clock.now() - createdAt < (answered === endpoints ? RECEIPT_MS.all : RECEIPT_MS.some) ? 'unsure' : 'no';
}
