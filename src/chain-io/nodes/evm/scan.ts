import type { AskOne } from '../endpoints.ts';
import { address, flag, type Hex, hash, list, Malformed, object, optional, quantity } from '../read.ts';
import { RpcError } from '../types.ts';
import { quantityOf } from './calls.ts';
import { type EvmReceipt, readReceipt } from './values.ts';

/** Addresses are in lower case. */
export type ScannedEvmTransaction = {
  readonly hash: Hex;
  readonly from: Hex;
  readonly to: Hex | undefined;
  readonly value: bigint;
};

/** A Transfer event of ERC-20. */
export type TokenTransfer = {
  readonly token: Hex;
  readonly from: Hex;
  readonly to: Hex;
  readonly amount: bigint;
  readonly transactionHash: Hex;
};

/** A block with what moved in it. */
export type EvmScan = {
  readonly number: bigint;
  readonly hash: Hex;
  readonly parentHash: Hex;
  /** Unix seconds. */
  readonly timestamp: bigint;
  readonly transactions: readonly ScannedEvmTransaction[];
  readonly transfers: readonly TokenTransfer[];
};

/** Transfer(address,address,uint256) */
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

/** A block of a busy chain has thousands of transactions, and each may have long call data. */
const LARGE = { bytes: 64 << 20, milliseconds: 15_000, depth: 64, keys: 2_000_000 };
/** Hosted nodes refuse more addresses in one filter. */
const ADDRESSES = 100;

const WORD = /^0x[0-9a-fA-F]{64}$/;

function transactionIn(block: Hex) {
  return (value: unknown): ScannedEvmTransaction => {
    const transaction = object(value);
    if (hash(transaction.blockHash) !== block) throw new Malformed('a transaction of another block');
    return {
      hash: hash(transaction.hash),
      from: address(transaction.from),
      to: optional(address)(transaction.to),
      // A Tempo transaction has calls in its place. It moves tokens alone, which logs show.
      value: optional(quantity)(transaction.value) ?? 0n,
    };
  };
}

type Head = Omit<EvmScan, 'transfers'>;

function readFullBlock(number: bigint, value: unknown): Head | undefined {
  // It does not exist yet, or this endpoint lags behind.
  if (value === null) return undefined;
  const block = object(value);
  if (quantity(block.number) !== number) throw new Malformed('another block');
  const own = hash(block.hash);
  return {
    number,
    hash: own,
    parentHash: hash(block.parentHash),
    timestamp: quantity(block.timestamp),
    transactions: list(block.transactions).map(transactionIn(own)),
  };
}

/** The address in a topic. Undefined: the event is not that of ERC-20. */
const inTopic = (topic: unknown): Hex | undefined =>
  typeof topic === 'string' && WORD.test(topic) ? (`0x${topic.slice(26).toLowerCase()}` as Hex) : undefined;

/** Undefined for another event with the same name: that of ERC-721 has four topics and no data. */
export function transferIn(block: Hex) {
  return (value: unknown): TokenTransfer | undefined => {
    const log = object(value);
    if (hash(log.blockHash) !== block || optional(flag)(log.removed) === true) throw new Malformed('a log of another block');
    const topics = list(log.topics);
    const [from, to] = [inTopic(topics[1]), inTopic(topics[2])];
    if (topics[0] !== TRANSFER || topics.length !== 3 || from === undefined || to === undefined) return undefined;
    if (typeof log.data !== 'string' || !WORD.test(log.data)) return undefined;
    return { token: address(log.address), from, to, amount: BigInt(log.data), transactionHash: hash(log.transactionHash) };
  };
}

type LogsIn = { ask: AskOne; block: Head };

function logsOf({ ask, block }: LogsIn, tokens: readonly Hex[]): Promise<TokenTransfer[]> {
  const filter = { blockHash: block.hash, address: tokens, topics: [TRANSFER] };
  const read = (logs: unknown) => list(logs).flatMap((log) => transferIn(block.hash)(log) ?? []);
  return ask({ method: 'eth_getLogs', params: [filter], read, options: LARGE });
}

/** All receipts of the block, for a token that alone has more events than the endpoint gives. */
async function receiptsLogs({ ask, block }: LogsIn, tokens: readonly Hex[]): Promise<TokenTransfer[]> {
  const read = (receipts: unknown) => {
    const logs = list(receipts).map((receipt) => list(object(receipt).logs));
    if (logs.length !== block.transactions.length) throw new Malformed('receipts of another block');
    return logs.flat().flatMap((log) => transferIn(block.hash)(log) ?? []);
  };
  const found = await ask({ method: 'eth_getBlockReceipts', params: [block.hash], read, options: LARGE });
  const known = new Set(tokens);
  return found.filter(({ token }) => known.has(token));
}

/** Hosted nodes refuse an answer of more than some 10,000 logs, which a block of many transfers has. */
async function manyLogs(of: LogsIn, tokens: readonly Hex[]): Promise<TokenTransfer[]> {
  const found: TokenTransfer[] = [];
  try {
    for (const token of tokens) found.push(...(await logsOf(of, [token])));
    return found;
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    return receiptsLogs(of, tokens);
  }
}

/** The transfers of some tokens in a block that has transactions. */
async function transfersIn(ask: AskOne, block: Head, tokens: readonly Hex[]): Promise<TokenTransfer[]> {
  if (block.transactions.length === 0) return [];
  const of = { ask, block };
  const found: TokenTransfer[] = [];
  for (let at = 0; at < tokens.length; at += ADDRESSES) {
    const some = tokens.slice(at, at + ADDRESSES);
    const logs = await logsOf(of, some).catch((error) => {
      if (!(error instanceof RpcError)) throw error;
      return some.length > 1 ? manyLogs(of, some) : receiptsLogs(of, some);
    });
    found.push(...logs);
  }
  return found;
}

/** `isMined`: another endpoint may have it if this one does not. */
export type EvmScanned = { number: bigint; isMined: boolean; tokens: readonly Hex[] };

/** Undefined: the endpoint has no such block. Its transactions, and then its logs by its hash, are of one endpoint. */
export async function evmScan(ask: AskOne, { number, isMined, tokens }: EvmScanned): Promise<EvmScan | undefined> {
  const params = [quantityOf(number), true];
  const read = (value: unknown) => {
    if (value === null && isMined) throw new Malformed('no block, and later ones are mined');
    return readFullBlock(number, value);
  };
  const block = await ask({ method: 'eth_getBlockByNumber', params, read, options: LARGE });
  return block && { ...block, transfers: await transfersIn(ask, block, tokens) };
}

/** Receipts that are asked for at once. Those with many events are large. */
const RECEIPTS = 8;

/** Throws if the endpoint lacks one, or has it in another block: it lags, or the block has fallen out. */
export async function evmReceipts(ask: AskOne, block: Hex, hashes: readonly Hex[]): Promise<EvmReceipt[]> {
  const found: EvmReceipt[] = [];
  for (let at = 0; at < hashes.length; at += RECEIPTS) {
    const asked = hashes.slice(at, at + RECEIPTS).map((one) => {
      const read = (value: unknown) => {
        const receipt = value === null ? undefined : readReceipt(one, value);
        if (receipt?.blockHash !== block) throw new Malformed('no receipt of this block');
        return receipt;
      };
      return ask({ method: 'eth_getTransactionReceipt', params: [one], read, options: LARGE });
    });
    await Promise.allSettled(asked);
    found.push(...(await Promise.all(asked)));
  }
  return found;
}
