import { hashBudget } from '../../chains/ethereum/eip712.ts';
import { type EvmSpending, evmTransfers } from '../../chains/ethereum/read-transfers.ts';
import { signedTransfers } from '../../chains/ethereum/signed-transfers.ts';
import { transactionTransfers } from '../../chains/read-transfers.ts';
import { payloadTransfers, type SignedPayload } from '../../chains/shared/payload-transfers.ts';
import type { TransactionSigner } from '../../chains/shared/transaction.ts';
import { ANY, joined, NOTHING, type Reading, unread } from '../../chains/shared/transfers.ts';
import { transfers as solanaTransfers } from '../../chains/solana/read-transfers.ts';

type SignedTransaction = { type: string; bytes: Uint8Array; signer: TransactionSigner; siblings?: readonly Uint8Array[] };

/** What exceeds the shared budget is not readable, and is not signed either. */
function payloads(list: readonly SignedPayload[]): Reading {
  const budget = hashBudget();
  return joined(list.map((payload) => payloadTransfers(payload, budget)));
}

/** The calls as they were judged, and the fee. It is nothing if a paymaster pays it. */
const send = (spending: EvmSpending): Reading => evmTransfers(spending);

/** Leaves have no amounts, and a share of a signature may move an output on the chain. */
const spark = (): Reading =>
  unread({ namespace: 'bip122', chain: ANY, cause: 'amount', why: 'what Spark moves is not in the request' });

const nothing = (): Reading => NOTHING;

/**
 * What each kind of activity that signs takes from the keys that it signs with. Each reads what is signed. A test compares this list
 * with all kinds.
 */
export const TRANSFERS_BY_KIND = {
  SIGN_TRANSACTION: ({ type, bytes, signer, siblings }: SignedTransaction) => transactionTransfers(type, bytes, signer, siblings),
  SIGN_RAW_PAYLOAD: (payload: SignedPayload) => payloadTransfers(payload),
  SIGN_RAW_PAYLOADS: payloads,
  ETH_SEND_TRANSACTION: send,
  // Its authorization is for the zero address, and its only call has neither value nor data.
  ETH_UNDELEGATE_7702: ({ calls: _, ...spending }: EvmSpending) => send({ ...spending, calls: [] }),
  ETH_SEND_RAW_TRANSACTION: signedTransfers,
  SOL_SEND_TRANSACTION: ({ bytes, signer }: Omit<SignedTransaction, 'type'>) => solanaTransfers(bytes, signer),
  // Its fee beyond that of the send.
  COUNTERSIGN_SPEED_UP_SEND: send,
  // The transaction that takes the nonce moves nothing.
  COUNTERSIGN_CANCEL_SEND: ({ calls: _, ...spending }: EvmSpending) => send({ ...spending, calls: [] }),
  SPARK_SIGN_FROST: spark,
  SPARK_PREPARE_TRANSFER: spark,
  SPARK_CLAIM_TRANSFER: nothing,
  SPARK_PREPARE_LIGHTNING_RECEIVE: nothing,
} as const;
