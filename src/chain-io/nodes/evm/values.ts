import { address, data, type Hex, hash, list, Malformed, object, optional, quantity } from '../read.ts';

/** The fields of a block that sending needs. */
export type EvmBlock = {
  readonly number: bigint;
  readonly hash: Hex;
  readonly parentHash: Hex;
  /** Unix seconds. */
  readonly timestamp: bigint;
  readonly gasLimit: bigint;
  readonly baseFee: bigint | undefined;
};

export type EvmReceipt = {
  readonly hash: Hex;
  readonly blockHash: Hex;
  readonly blockNumber: bigint;
  readonly succeeded: boolean;
  readonly from: Hex;
  readonly gasUsed: bigint;
  readonly effectiveGasPrice: bigint | undefined;
  readonly contractAddress: Hex | undefined;
  /** On chains of the OP Stack: the payment besides the gas. */
  readonly dataFee?: bigint | undefined;
  /** An operator of an OP Stack chain may charge one, whose formula changes with the chain's upgrades. */
  readonly hasOperatorFee?: true;
};

/** What its payer paid. */
export const costOf = ({ gasUsed, effectiveGasPrice, dataFee }: EvmReceipt): bigint =>
  gasUsed * (effectiveGasPrice ?? 0n) + (dataFee ?? 0n);

/** A transaction that a node knows. Without a block, it is pending. */
export type EvmTransaction = {
  readonly hash: Hex;
  readonly from: Hex;
  readonly to: Hex | undefined;
  readonly nonce: bigint;
  readonly value: bigint;
  readonly gas: bigint;
  readonly data: Hex;
  readonly blockHash: Hex | undefined;
  readonly blockNumber: bigint | undefined;
};

const MOST_NONCE = BigInt(Number.MAX_SAFE_INTEGER);

/** No account reaches numbers that lose precision. */
export function nonceOf(value: unknown): bigint {
  const nonce = quantity(value);
  if (nonce >= MOST_NONCE) throw new Malformed('it is not a possible nonce');
  return nonce;
}

export function readBlock(value: unknown): EvmBlock {
  const block = object(value);
  return {
    number: quantity(block.number),
    hash: hash(block.hash),
    parentHash: hash(block.parentHash),
    timestamp: quantity(block.timestamp),
    gasLimit: quantity(block.gasLimit),
    baseFee: optional(quantity)(block.baseFeePerGas),
  };
}

const isCharged = (part: unknown): boolean => (optional(quantity)(part) ?? 0n) !== 0n;

/** A receipt without a block belongs to a block that does not exist yet: it counts as none. */
export function readReceipt(asked: Hex, value: unknown): EvmReceipt | undefined {
  const receipt = object(value);
  if (receipt.blockHash === null || receipt.blockNumber === null) return undefined;
  const given = hash(receipt.transactionHash);
  if (given !== asked) throw new Malformed('it belongs to another transaction');
  return {
    hash: given,
    blockHash: hash(receipt.blockHash),
    blockNumber: quantity(receipt.blockNumber),
    // Before Byzantium there was no status.
    succeeded: receipt.status === undefined || receipt.status === null || quantity(receipt.status) === 1n,
    from: address(receipt.from),
    gasUsed: quantity(receipt.gasUsed),
    effectiveGasPrice: optional(quantity)(receipt.effectiveGasPrice),
    contractAddress: optional(address)(receipt.contractAddress),
    ...(receipt.l1Fee === undefined ? {} : { dataFee: optional(quantity)(receipt.l1Fee) }),
    ...([receipt.operatorFeeScalar, receipt.operatorFeeConstant].some(isCharged) && { hasOperatorFee: true as const }),
  };
}

export function readTransaction(asked: Hex, value: unknown): EvmTransaction {
  const transaction = object(value);
  const given = hash(transaction.hash);
  if (given !== asked) throw new Malformed('it is another transaction');
  return {
    hash: given,
    from: address(transaction.from),
    to: optional(address)(transaction.to),
    nonce: quantity(transaction.nonce),
    value: quantity(transaction.value),
    gas: quantity(transaction.gas),
    data: data(transaction.input ?? transaction.data),
    blockHash: optional(hash)(transaction.blockHash),
    blockNumber: optional(quantity)(transaction.blockNumber),
  };
}

/** Base fees and rewards of past blocks; the last base fee is of the next block. */
export type FeeHistory = { readonly baseFees: readonly bigint[]; readonly rewards: readonly (readonly bigint[])[] };

/** One for each block, and one for the next. */
function baseFeesOf(given: unknown[]): bigint[] {
  if (given.length < 2) throw new Malformed('it has no base fee for the next block');
  return given.map(quantity);
}

export function readFeeHistory(value: unknown): FeeHistory {
  const history = object(value);
  return {
    baseFees: baseFeesOf(list(history.baseFeePerGas)),
    rewards: (optional(list)(history.reward) ?? []).map((rewards) => list(rewards).map(quantity)),
  };
}
