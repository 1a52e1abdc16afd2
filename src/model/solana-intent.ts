import type { SendError } from './send-error.ts';

/**
 * All judged terms of a send on Solana. Nothing else is signed for it, except a blockhash that the service chose. Numbers are decimal
 * texts, because the intent is stored as JSON.
 */
export type SolanaIntent = {
  /** The whole transaction in base64, with the submitted signatures, and empty slots for the signatures to be made. */
  readonly transaction: string;
  /** Addresses whose keys sign, in the form that `read.signers.find` takes. If the send is sponsored, the paymaster signs as well. */
  readonly signWiths: readonly string[];
  /**
   * The source of the blockhash:
   * - `given`: from the caller.
   * - `chosen`: by the service. It may choose another one once no signed transaction can land any more.
   * - `nonce`: a durable nonce, which does not expire.
   */
  readonly blockhash: 'given' | 'chosen' | 'nonce';
  /** The last block that may include the transaction, if it is known. */
  readonly lastValidBlockHeight: string | null;
  /** The account of the durable nonce, if the transaction names one. */
  readonly nonceAccount: string | null;
  /** The paymaster's payment to the signers for the rent of new accounts, in lamports. */
  readonly rent: string;
  /** The maximum cost in lamports, including the rent. */
  readonly lamports: string;
  /** Why the simulation failed. Such a send fails without being signed. */
  readonly refused: SendError | null;
};
