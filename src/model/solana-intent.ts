import type { SendError } from './send-error.ts';

/**
 * All that was judged of a send on Solana; nothing else is signed for it, but for a blockhash that the service chose. Numbers are decimal texts,
 * because it is stored as JSON.
 */
export type SolanaIntent = {
  /** The whole transaction in base64, with the signatures that came with it, and empty slots for those that are made. */
  readonly transaction: string;
  /** Addresses whose keys sign, as `read.signers.find` takes them. If it is sponsored, the paymaster signs as well. */
  readonly signWiths: readonly string[];
  /**
   * Where its blockhash comes from. `given`: from the caller. `chosen`: by the service, which may choose another one once nothing that is signed
   * can land any more. `nonce`: it is a durable nonce, which does not expire.
   */
  readonly blockhash: 'given' | 'chosen' | 'nonce';
  /** The last block that may hold it, if it is known. */
  readonly lastValidBlockHeight: string | null;
  /** The account of the durable nonce, if the transaction names it. */
  readonly nonceAccount: string | null;
  /** What the paymaster gives its signers for the rent of new accounts, in lamports. */
  readonly rent: string;
  /** The most that it costs, in lamports, with the rent. */
  readonly lamports: string;
  /** Why it failed when it was tried out. Such a send fails without being signed. */
  readonly refused: SendError | null;
};
