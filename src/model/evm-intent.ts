type Hex = `0x${string}`;

/**
 * How a send reaches the chain.
 * - `call`: a transaction of the account.
 * - `batch`: a transaction of the account to itself, whose delegate (EIP-7702) makes the calls.
 * - `sponsored`: a transaction of the paymaster to the station, which hands the account's signed message to its delegate.
 * - `undelegate`: a transaction of the account to itself that ends its delegation.
 * - `raw`: a transaction that came signed.
 */
export type EvmForm = 'call' | 'batch' | 'sponsored' | 'undelegate' | 'raw';

/** `to`: lower case; empty where a raw transaction makes a contract. `value`: wei, decimal. `data`: lower case. */
export type EvmIntentCall = { readonly to: Hex | ''; readonly value: string; readonly data: Hex };

/** What is paid for a unit of gas, wei in decimal digits. */
export type EvmIntentFees =
  | { readonly kind: 'eip1559'; readonly maxFeePerGas: string; readonly maxPriorityFeePerGas: string }
  | { readonly kind: 'legacy'; readonly gasPrice: string };

/** Why the estimate of its gas was refused: the calls would fail. */
export type EvmRefused = { readonly why: string; readonly message: string; readonly data: Hex | null };

/**
 * All that was judged of a send on an EVM chain; nothing else is signed for it. Numbers are decimal texts, because it is stored as JSON. A
 * `raw` one has `calls`, `gas`, `fees` and `nonce` as they were signed.
 */
export type EvmIntent = {
  readonly form: EvmForm;
  /** The address whose key signs, as `read.signers.find` takes it; empty for `raw`. */
  readonly signWith: string;
  readonly calls: readonly EvmIntentCall[];
  /** Of the transaction in all. Null: the estimate was refused, and the send fails without being signed. */
  readonly gas: string | null;
  readonly refused: EvmRefused | null;
  /** What a unit of gas may cost. */
  readonly fees: EvmIntentFees;
  /** The caller said what a unit of gas may cost: a replacement never pays more, unless an activity says so. */
  readonly feesGiven: boolean;
  /** The transaction's, if it was given; of a `sponsored` one the account's, for its authorization. */
  readonly nonce: string | null;
  /** The nonce of the account's message, if it was given. */
  readonly gasStationNonce: string | null;
  /** Unix seconds, if it was given: the message is void in later blocks. */
  readonly deadline: string | null;
  /** The contract that the account is delegated to, for `batch` and `sponsored`. */
  readonly delegate: Hex | null;
  /** For `sponsored`. */
  readonly station: Hex | null;
  /** The bytes of a `raw` one. */
  readonly signed: Hex | null;
};
