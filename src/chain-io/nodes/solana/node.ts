import { isObject } from '../../../base/json.ts';
import type { SolanaFailureFacts } from '../../../chains/solana/failure.ts';
import { type Network, SOLANA_GENESIS, type SolanaCluster } from '../../../model/caip2.ts';
import type { Answered, Dialect, Endpoints, Question } from '../endpoints.ts';
import { flag, optional, place, text, whole } from '../read.ts';
import { EndpointError, type EndpointState, type Holdings, type LookUp, RpcError } from '../types.ts';
import { type BlockHeights, heightsOf } from './agree.ts';
import { solanaHoldings } from './holdings.ts';
import { type SolanaOutcome, solanaOutcomeOf, solanaTogether } from './outcomes.ts';
import { type SolanaScans, solanaScans } from './scan.ts';
import {
  type Commitment,
  foundIn,
  readAccount,
  readBlockhash,
  readLanded,
  readPriorityFees,
  readSimulation,
  readStatuses,
  type SolanaAccount,
  type SolanaBlockhash,
  type SolanaFound,
  type SolanaLanded,
  type SolanaSimulation,
  valueIn,
} from './values.ts';

/** The result of giving a transaction to the endpoints. */
export type SolanaSent = {
  readonly outcome: SolanaOutcome;
  readonly answers: readonly {
    readonly endpoint: string;
    readonly outcome: SolanaOutcome;
    readonly text: string;
    /** The failure that the endpoint saw when it tried it out. */
    readonly failure: SolanaFailureFacts | undefined;
  }[];
  readonly retryAfterMs: number | undefined;
};

/** A Solana cluster. Transactions and messages are base64. Everything but `send` throws NoNodeError if no endpoint answers, or RpcError. */
export type SolanaNode = {
  readonly kind: 'solana';
  readonly caip2: string;
  readonly cluster: SolanaCluster;
  latestBlockhash(commitment?: Commitment): Promise<SolanaBlockhash>;
  /** Of every endpoint that answers. */
  latestBlockhashes(): Promise<SolanaBlockhash[]>;
  /** Whether any endpoint still takes transactions with it; and whether every one answered. */
  blockhashCounts(blockhash: string): Promise<{ isValid: boolean; isAll: boolean }>;
  /** No endpoint alone decides the height of the chain. */
  blockHeights(commitment: Commitment): Promise<BlockHeights>;
  simulate(transaction: string, how?: { replaceBlockhash?: boolean; verifySignatures?: boolean }): Promise<SolanaSimulation>;
  /** The recent prices for writing to these accounts, in millionths of a lamport for a compute unit. */
  priorityFees(accounts: readonly string[]): Promise<{ slot: bigint; lamports: bigint }[]>;
  /** Gives it to every endpoint. `preflight`: they try it out first. Never throws. */
  send(transaction: string, how?: { preflight?: boolean }): Promise<SolanaSent>;
  /** The furthest status that the endpoints know of each signature. At most 256 signatures per call. */
  statuses(signatures: readonly string[], how?: { history?: boolean }): Promise<SolanaFound[]>;
  transaction(signature: string): Promise<LookUp<SolanaLanded>>;
  /** Undefined if its blockhash is not known. */
  fee(message: string): Promise<bigint | undefined>;
  rent(bytes: number): Promise<bigint>;
  balance(account: string): Promise<bigint>;
  account(account: string): Promise<SolanaAccount | undefined>;
  /** The account at every endpoint that answers. */
  accounts(account: string): Promise<{ values: (SolanaAccount | undefined)[]; isAll: boolean }>;
  /** What an account holds: its lamports, and tokens by their mints if `withTokens`. */
  holdings(account: string, withTokens: boolean, milliseconds: number): Promise<Holdings>;
  /** What a scan asks for. */
  readonly scans: SolanaScans;
  status(): Promise<EndpointState[]>;
};

/**
 * Asks a new endpoint for the hash of its first block. An endpoint of another public cluster is refused. Any other is the
 * operator’s own replacement, such as a test validator.
 */
export const solanaDialect = (cluster: SolanaCluster): Dialect => ({
  async introduce(endpoint) {
    const genesis = text(await endpoint.request('getGenesisHash', []));
    if (genesis === SOLANA_GENESIS[cluster]) return undefined;
    const other = Object.entries(SOLANA_GENESIS).find(([, hash]) => hash === genesis)?.[0];
    if (other !== undefined) throw new EndpointError(endpoint.name, 'wrong chain', `answers for ${other}, not ${cluster}`);
    return `an RPC endpoint belongs to no public cluster: it is used as ${cluster}`;
  },
  head: async (endpoint) => place(await endpoint.request('getBlockHeight', [{ commitment: 'confirmed' }])),
});

/** A node refuses more. */
const MOST_SIGNATURES = 256;

function failureOf({ code, message, data }: RpcError['said']): SolanaFailureFacts | undefined {
  if (!isObject(data) || data.err === undefined) return { source: 'rpc', rpcCode: code, rpcMessage: message };
  const { err, logs, unitsConsumed, innerInstructions } = data;
  return {
    source: 'preflight',
    rpcCode: code,
    rpcMessage: message,
    err,
    logs: Array.isArray(logs) ? logs.filter((line) => typeof line === 'string') : [],
    unitsConsumed: typeof unitsConsumed === 'number' || typeof unitsConsumed === 'bigint' ? BigInt(unitsConsumed) : undefined,
    innerInstructions: innerInstructions ?? undefined,
  };
}

function outcomeAt(answer: Answered<string>): SolanaSent['answers'][number] {
  const { endpoint } = answer;
  if ('value' in answer) return { endpoint, outcome: 'sent', text: '', failure: undefined };
  const { error } = answer;
  if (error instanceof RpcError)
    return { endpoint, outcome: solanaOutcomeOf(error.said), text: error.said.message, failure: failureOf(error.said) };
  const outcome = error.trouble === 'no answer' ? 'unknown' : error.trouble === 'rate limited' ? 'rate limited' : 'unavailable';
  return { endpoint, outcome, text: error.message, failure: undefined };
}

const accountQuestion = (account: string) =>
  [
    [account, { encoding: 'base64', commitment: 'confirmed' }],
    (result: unknown) => optional(readAccount)(valueIn(result)),
  ] as const;

/** `aside`: the same endpoints, whose health is that of these requests alone. */
export function solanaNode(
  { caip2, cluster }: Network & { kind: 'solana' },
  endpoints: Endpoints,
  aside: { holdings: Endpoints; scans: Endpoints },
): SolanaNode {
  const ask = <T>(method: string, params: readonly unknown[], read: Question<T>['read']) =>
    endpoints.ask({ method, params, read });
  const confirmed = { commitment: 'confirmed' };
  const isAll = (answers: readonly unknown[]) => answers.length === endpoints.count;

  return {
    kind: 'solana',
    caip2,
    cluster,
    latestBlockhash: (commitment = 'confirmed') => ask('getLatestBlockhash', [{ commitment }], readBlockhash),
    latestBlockhashes: () => endpoints.askAll({ method: 'getLatestBlockhash', params: [confirmed], read: readBlockhash }),
    async blockhashCounts(blockhash) {
      const params = [blockhash, { commitment: 'processed' }];
      const said = await endpoints.askAll({ method: 'isBlockhashValid', params, read: (result) => flag(valueIn(result)) });
      return { isValid: said.includes(true), isAll: isAll(said) };
    },
    async blockHeights(commitment) {
      const heights = await endpoints.askAll({ method: 'getBlockHeight', params: [{ commitment }], read: place });
      return heightsOf(heights, endpoints.count);
    },
    simulate: (transaction, { replaceBlockhash = false, verifySignatures = false } = {}) =>
      ask(
        'simulateTransaction',
        [
          transaction,
          {
            encoding: 'base64',
            commitment: 'confirmed',
            innerInstructions: true,
            sigVerify: verifySignatures,
            replaceRecentBlockhash: replaceBlockhash,
          },
        ],
        readSimulation,
      ),
    priorityFees: (accounts) => ask('getRecentPrioritizationFees', [accounts], readPriorityFees),
    async send(transaction, { preflight = false } = {}) {
      const how = { encoding: 'base64', skipPreflight: !preflight, preflightCommitment: 'confirmed', maxRetries: 0 };
      try {
        const question = { method: 'sendTransaction', params: [transaction, how], read: text };
        const isEnough = (answer: Answered<string>) => ['sent', 'already processed'].includes(outcomeAt(answer).outcome);
        const given = await endpoints.broadcast(question, isEnough);
        const answers = given.answers.map(outcomeAt);
        const outcome = solanaTogether(answers.map((answer) => answer.outcome));
        return { outcome, answers, retryAfterMs: given.retryAfterMs };
      } catch {
        return { outcome: 'unknown', answers: [], retryAfterMs: undefined };
      }
    },
    async statuses(signatures, { history = false } = {}) {
      if (signatures.length > MOST_SIGNATURES) throw new RangeError(`at most ${MOST_SIGNATURES} signatures`);
      const given = await endpoints.askAll({
        method: 'getSignatureStatuses',
        params: [signatures, { searchTransactionHistory: history }],
        read: (result) => readStatuses(signatures.length, result),
      });
      return signatures.map((_, i) =>
        foundIn(
          given.map((statuses) => statuses[i]),
          endpoints.count,
        ),
      );
    },
    transaction: (signature) =>
      endpoints.find({
        method: 'getTransaction',
        params: [signature, { encoding: 'base64', commitment: 'confirmed', maxSupportedTransactionVersion: 0 }],
        read: optional(readLanded),
      }),
    fee: (message) => ask('getFeeForMessage', [message, confirmed], (result) => optional(whole)(valueIn(result))),
    rent: (bytes) => ask('getMinimumBalanceForRentExemption', [bytes], whole),
    balance: (account) => ask('getBalance', [account, confirmed], (result) => whole(valueIn(result))),
    account: (account) => ask('getAccountInfo', ...accountQuestion(account)),
    async accounts(account) {
      const [params, read] = accountQuestion(account);
      const values = await endpoints.askAll({ method: 'getAccountInfo', params, read });
      return { values, isAll: isAll(values) };
    },
    holdings: (account, withTokens, milliseconds) =>
      aside.holdings.askOne((ask) => solanaHoldings(ask, account, withTokens), milliseconds),
    scans: solanaScans(aside.scans),
    status: endpoints.status,
  };
}
