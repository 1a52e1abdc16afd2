import type { CallFrame } from '../../../chains/ethereum/revert-chain.ts';
import type { Network } from '../../../model/caip2.ts';
import type { Endpoint } from '../endpoint.ts';
import type { Answered, Dialect, Endpoints, Question } from '../endpoints.ts';
import { data, type Hex, hash, optional, quantity } from '../read.ts';
import { EndpointError, type EndpointState, type Holdings, type LookUp, NoNodeError, RpcError } from '../types.ts';
import {
  atOf,
  callOf,
  codesOf,
  type EvmAt,
  type EvmCall,
  type EvmCodes,
  type EvmRefusal,
  isRefusal,
  mayPass,
  quantityOf,
  refusalOf,
} from './calls.ts';
import { BLOCKS, type EvmPrices, PERCENTILES, pricesOf } from './fees.ts';
import { evmHoldings } from './holdings.ts';
import { type EvmMined, evmMined } from './mined.ts';
import { type EvmOutcome, outcomeOf, together } from './outcomes.ts';
import { type EvmScan, type EvmScanned, evmReceipts, evmScan } from './scan.ts';
import { readFrame } from './trace.ts';
import {
  type EvmBlock,
  type EvmReceipt,
  type EvmTransaction,
  type FeeHistory,
  nonceOf,
  readBlock,
  readFeeHistory,
  readReceipt,
  readTransaction,
} from './values.ts';

/** The result of giving a transaction to the endpoints. */
export type EvmSent = {
  readonly outcome: EvmOutcome;
  /** The answers so far. Texts are the endpoints' own, for the operator and the record. */
  readonly answers: readonly { readonly endpoint: string; readonly outcome: EvmOutcome; readonly text: string }[];
  /** Every endpoint that did not take it gave a reason, even if that is an unknown error. */
  readonly isAnswered: boolean;
  /** When a limited endpoint may be asked again. */
  readonly retryAfterMs: number | undefined;
};

/**
 * One EVM chain. Everything but `send` throws NoNodeError if no endpoint answers, and RpcError for a node’s error that means
 * nothing else.
 */
export type EvmNode = {
  readonly kind: 'eip155';
  readonly caip2: string;
  readonly chainId: bigint;
  /**
   * The next nonce. For `latest` and `pending` it is the highest that any endpoint knows. `pending` counts transactions that are
   * pending at the endpoint. For one block it is the lowest.
   */
  nonce(account: Hex, at: EvmAt): Promise<bigint>;
  /** The nonces of all endpoints that answer in time, the highest first. */
  nonces(account: Hex, at: EvmAt): Promise<bigint[]>;
  balance(account: Hex, at?: EvmAt): Promise<bigint>;
  code(account: Hex, at?: EvmAt): Promise<Hex>;
  storage(account: Hex, slot: Hex, at?: EvmAt): Promise<Hex>;
  call(call: EvmCall, at?: EvmAt): Promise<{ readonly output: Hex } | { readonly refused: EvmRefusal }>;
  /** `codes`: not every node takes them. It throws an RpcError that does not pass only if no endpoint ever takes them. */
  estimateGas(call: EvmCall, at?: EvmAt, codes?: EvmCodes): Promise<{ readonly gas: bigint } | { readonly refused: EvmRefusal }>;
  prices(): Promise<EvmPrices>;
  /** Gives it to every endpoint. Never throws. */
  send(signed: Hex): Promise<EvmSent>;
  transaction(hash: Hex): Promise<LookUp<EvmTransaction>>;
  receipt(hash: Hex): Promise<LookUp<EvmReceipt>>;
  block(which: EvmAt | { readonly hash: Hex }): Promise<LookUp<EvmBlock>>;
  /**
   * How a call fails, or how a transaction in a block failed. It has the inner calls if a node can trace. Undefined if it does not
   * fail.
   */
  failure(of: { call: EvmCall; at?: EvmAt } | { transaction: Hex }): Promise<CallFrame | undefined>;
  /** The answers of all endpoints. Undefined unless every endpoint of the chain gives one. */
  readonly everyone: {
    block(which: EvmAt): Promise<(EvmBlock | undefined)[] | undefined>;
    receipt(hash: Hex): Promise<(EvmReceipt | undefined)[] | undefined>;
    nonce(account: Hex, at: EvmAt): Promise<bigint[] | undefined>;
    storage(account: Hex, slot: Hex, at: EvmAt): Promise<Hex[] | undefined>;
  };
  /** What an account holds: its coins, and those of tokens by their contracts. */
  holdings(account: Hex, tokens: readonly Hex[], milliseconds: number): Promise<Holdings>;
  /** The block with what moved in it, of the native coin and these tokens. Undefined: it does not exist yet. */
  scan(of: EvmScanned, milliseconds: number): Promise<EvmScan | undefined>;
  /** The receipts of transactions of one block, in their order. */
  receiptsIn(block: Hex, hashes: readonly Hex[], milliseconds: number): Promise<EvmReceipt[]>;
  /** What a history shows of transactions, in their order. Undefined for one that is in no block. */
  mined(hashes: readonly Hex[], milliseconds: number): Promise<(EvmMined | undefined)[]>;
  status(): Promise<EndpointState[]>;
};

/** Asks a new endpoint for its chain id. */
export const evmDialect = (chainId: bigint): Dialect => ({
  async introduce(endpoint: Endpoint) {
    const answered = quantity(await endpoint.request('eth_chainId', []));
    if (answered === chainId) return undefined;
    throw new EndpointError(endpoint.name, 'wrong chain', `answers for chain ${answered}, not ${chainId}`);
  },
  head: async (endpoint) => quantity(await endpoint.request('eth_blockNumber', [])),
});

const TRACE = { bytes: 32 << 20, milliseconds: 20_000, depth: 2400, keys: 1_000_000 };
const TRACER = { tracer: 'callTracer' };

/** For requests that cost a node little. */
const JOINS = { options: { joins: true } };

/** The outcome in one endpoint's answer to a send. */
function outcomeAt(answer: Answered<Hex>): EvmSent['answers'][number] {
  const { endpoint } = answer;
  if ('value' in answer) return { endpoint, outcome: 'sent', text: '' };
  const { error } = answer;
  if (error instanceof RpcError) return { endpoint, outcome: outcomeOf(error.said), text: error.said.message };
  const outcome = { 'no answer': 'unknown', 'rate limited': 'rate limited' }[error.trouble as string] ?? 'unavailable';
  return { endpoint, outcome: outcome as EvmOutcome, text: error.message };
}

const isSilent = (answer: Answered<Hex>): boolean =>
  'error' in answer && answer.error instanceof EndpointError && answer.error.trouble === 'no answer';

/** `aside`: the same endpoints, whose health is that of these requests alone. */
export function evmNode(
  { chainId, caip2 }: Network & { kind: 'eip155' },
  endpoints: Endpoints,
  aside: { holdings: Endpoints; scans: Endpoints },
): EvmNode {
  const ask = <T>(method: string, params: readonly unknown[], read: Question<T>['read'], more: Partial<Question<T>> = {}) =>
    endpoints.ask({ method, params, read, ...more });
  const find = <T>(method: string, params: readonly unknown[], read: (result: unknown) => T | undefined) =>
    endpoints.find({ method, params, read: (result) => optional(read)(result) ?? undefined, ...JOINS });

  async function ofAll<T>(method: string, params: readonly unknown[], read: Question<T>['read']): Promise<T[] | undefined> {
    try {
      const said = await endpoints.askAll({ method, params, read, ...JOINS });
      return said.length === endpoints.count ? said : undefined;
    } catch (error) {
      if (error instanceof RpcError || error instanceof NoNodeError) return undefined;
      throw error;
    }
  }

  async function refusable<T>(work: Promise<T>): Promise<T | { refused: EvmRefusal }> {
    try {
      return await work;
    } catch (error) {
      const refused = error instanceof RpcError ? refusalOf(error.said) : undefined;
      if (refused === undefined) throw error;
      return { refused };
    }
  }

  async function history(): Promise<FeeHistory | undefined> {
    try {
      return await ask('eth_feeHistory', [quantityOf(BigInt(BLOCKS)), 'latest', PERCENTILES], readFeeHistory);
    } catch {
      return undefined;
    }
  }

  /** With the inner calls. Undefined where no endpoint traces. */
  async function traced(method: string, params: readonly unknown[]): Promise<CallFrame | undefined> {
    try {
      return await ask(method, params, readFrame, { options: TRACE });
    } catch {
      return undefined;
    }
  }

  async function failureOfCall(call: EvmCall, at: EvmAt): Promise<CallFrame | undefined> {
    const frame = await traced('debug_traceCall', [callOf(call), atOf(at), TRACER]);
    if (frame !== undefined) return frame.error === undefined ? undefined : frame;
    const made = await node.call(call, at);
    if (!('refused' in made)) return undefined;
    const { message, data: output } = made.refused;
    return { to: call.to, output: output ?? '0x', error: message, calls: [] };
  }

  async function failureOfTransaction(asked: Hex): Promise<CallFrame | undefined> {
    const frame = await traced('debug_traceTransaction', [asked, TRACER]);
    if (frame !== undefined) return frame.error === undefined ? undefined : frame;
    const { value } = await node.transaction(asked);
    if (value?.blockNumber === undefined) return undefined;
    const { from, to, value: wei, gas, data: input, blockNumber } = value;
    // Earlier transactions of the same block are missing from this state: a node without traces gets no nearer.
    return failureOfCall({ from, to, value: wei, gas, data: input }, blockNumber - 1n);
  }

  const node: EvmNode = {
    kind: 'eip155',
    caip2,
    chainId,
    async nonce(account, at) {
      const said = await node.nonces(account, at);
      return at === 'latest' || at === 'pending' ? said[0]! : said.at(-1)!;
    },
    async nonces(account, at) {
      const params = [account, atOf(at)];
      const said = await endpoints.askAll({ method: 'eth_getTransactionCount', params, read: nonceOf, ...JOINS });
      return said.sort((a, b) => (a < b ? 1 : -1));
    },
    balance: (account, at = 'latest') => ask('eth_getBalance', [account, atOf(at)], quantity, JOINS),
    code: (account, at = 'latest') => ask('eth_getCode', [account, atOf(at)], data, JOINS),
    storage: (account, slot, at = 'latest') => ask('eth_getStorageAt', [account, slot, atOf(at)], data, JOINS),
    call: (call, at = 'latest') =>
      refusable(ask('eth_call', [callOf(call), atOf(at)], (output) => ({ output: data(output) }), { isFinal: isRefusal })),
    estimateGas(call, at = 'latest', codes) {
      const params = [callOf(call), atOf(at), ...(codes === undefined ? [] : [codesOf(codes)])];
      return refusable(ask('eth_estimateGas', params, (gas) => ({ gas: quantity(gas) }), { isFinal: isRefusal, mayPass }));
    },
    async prices() {
      // Before London a node may have a history of base fees that are all zero: the block tells.
      const [latest, past] = await Promise.all([node.block('latest'), history()]);
      if (latest.value?.baseFee !== undefined && past !== undefined) {
        const floor = await ask('eth_maxPriorityFeePerGas', [], quantity).catch(() => 0n);
        return pricesOf(past, floor);
      }
      return { kind: 'legacy', gasPrice: await ask('eth_gasPrice', [], quantity) };
    },
    async send(signed) {
      const taken = (answer: EvmSent['answers'][number]) => answer.outcome === 'sent' || answer.outcome === 'already known';
      try {
        const question = { method: 'eth_sendRawTransaction', params: [signed], read: hash, ...JOINS };
        const given = await endpoints.broadcast(question, (answer) => taken(outcomeAt(answer)));
        const answers = given.answers.map(outcomeAt);
        const outcome = together(answers.map((answer) => answer.outcome));
        return { outcome, answers, isAnswered: !given.answers.some(isSilent), retryAfterMs: given.retryAfterMs };
      } catch {
        return { outcome: 'unknown', answers: [], isAnswered: false, retryAfterMs: undefined };
      }
    },
    transaction: (asked) => find('eth_getTransactionByHash', [asked], (value) => readTransaction(asked, value)),
    receipt: (asked) => find('eth_getTransactionReceipt', [asked], (value) => readReceipt(asked, value)),
    block: (which) =>
      typeof which === 'object'
        ? find('eth_getBlockByHash', [which.hash, false], readBlock)
        : find('eth_getBlockByNumber', [atOf(which), false], readBlock),
    failure: (of) => ('call' in of ? failureOfCall(of.call, of.at ?? 'latest') : failureOfTransaction(of.transaction)),
    everyone: {
      block: (which) => ofAll('eth_getBlockByNumber', [atOf(which), false], (result) => optional(readBlock)(result) ?? undefined),
      receipt: (asked) =>
        ofAll(
          'eth_getTransactionReceipt',
          [asked],
          (result) => optional((value) => readReceipt(asked, value))(result) ?? undefined,
        ),
      nonce: (account, at) => ofAll('eth_getTransactionCount', [account, atOf(at)], nonceOf),
      storage: (account, slot, at) => ofAll('eth_getStorageAt', [account, slot, atOf(at)], data),
    },
    holdings: (account, tokens, milliseconds) => aside.holdings.askOne((ask) => evmHoldings(ask, account, tokens), milliseconds),
    scan: (of, milliseconds) => aside.scans.askOne((ask) => evmScan(ask, of), milliseconds),
    receiptsIn: (block, hashes, milliseconds) => aside.scans.askOne((ask) => evmReceipts(ask, block, hashes), milliseconds),
    mined: (hashes, milliseconds) => aside.scans.askOne((ask) => evmMined(ask, hashes), milliseconds),
    status: endpoints.status,
  };
  return node;
}
