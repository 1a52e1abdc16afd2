import { isMissing } from '../trouble.ts';
import type { SaidError } from '../types.ts';

/**
 * An endpoint's outcome for a signed transaction.
 * - `sent`: the endpoint took it.
 * - `already known`: the endpoint has it already.
 * - `nonce too low`: the chain has a transaction with this nonce, which may be this very one.
 * - `nonce too high`: one before is missing, at this endpoint at least.
 * - `replacement underpriced`: another one with this nonce is pending there, and pays too much to be replaced. It may be an earlier
 *   one of ours.
 * - `underpriced`: it pays less than the endpoint, or the next block, asks.
 * - `fee over cap`: it pays more than the endpoint passes on.
 * - `insufficient funds`: the account has too little.
 * - `gas limit`: too low to begin with, or more than a block has.
 * - `reverted`: the endpoint tried it out, and it reverted.
 * - `authority busy`: pools hold transactions of an account that it authorizes for (EIP-7702). They may do so for as long as that
 *   account likes.
 * - `invalid`: no node would take it, for example because of another chain or a wrong signature.
 * - `rate limited`, `unavailable`: the endpoint did nothing with it.
 * - `unknown`: it may be sent. This covers every answer that is not known to mean otherwise.
 */
export type EvmOutcome =
  | 'sent'
  | 'already known'
  | 'nonce too low'
  | 'unknown'
  | 'replacement underpriced'
  | 'underpriced'
  | 'nonce too high'
  | 'insufficient funds'
  | 'gas limit'
  | 'fee over cap'
  | 'reverted'
  | 'authority busy'
  | 'invalid'
  | 'rate limited'
  | 'unavailable';

/** `stays`: the same question gets the same answer in a minute too. `passes`: it may get another one. */
type Lasting = 'stays' | 'passes';
type Row = readonly [EvmOutcome, Lasting, RegExp];

/**
 * Texts of nodes; the first that matches counts. Codes say too little: most nodes answer -32000 to everything. The texts are from:
 * - geth and its forks (bor, BNB, op-geth, Arbitrum);
 * - erigon, nethermind (its codes too), besu, reth, anvil, OpenEthereum, and zkSync.
 */
const TEXTS: readonly Row[] = [
  [
    'already known',
    'stays',
    /already known|known transaction|AlreadyKnown|already (?:been )?imported|existing tx with same hash|already in (?:the )?(?:mempool|pool)|transaction already exists|already finalized/i,
  ],
  // Before `underpriced` and `nonce`: their texts are parts of these.
  [
    'replacement underpriced',
    'passes',
    /replacement transaction underpriced|replacement fee too low|could not replace existing tx|ReplacementNotAllowed|insufficient gas price to replace|another transaction with same nonce|another tx which has the same nonce|OwnNonceAlreadyUsed|replaced by (?:a )?transaction with higher/i,
  ],
  [
    'nonce too low',
    'stays',
    /nonce (?:is )?too low|OldNonce|invalid transaction nonce|stale nonce|nonce has already been used|Pool\(Stale\)/i,
  ],
  [
    'nonce too high',
    'passes',
    /nonce (?:is )?too high|NonceGap|NonceTooFarInFuture|nonce is too distant|nonce too far in (?:the )?future|gapped-nonce|delegation nonce gap|NotCurrentNonceForDelegation|nonce gap/i,
  ],
  ['authority busy', 'passes', /authority already reserved|DelegatorHasPendingTx/i],
  [
    'unavailable',
    'passes',
    /(?:tx|transaction )?pool (?:is )?(?:full|overflow|disabled|not enabled)|sub-?pool is full|queue (?:is )?full|too many transactions in the queue|account limit exceeded|in-?flight transaction limit|address already reserved|lower nonce exists|\bsyncing\b|sync is still in progress/i,
  ],
  [
    'insufficient funds',
    'passes',
    /insufficient (?:funds|balance|MATIC|BNB)|InsufficientFunds|not enough funds|Upfront cost exceeds account balance|would cause overdraft|sender doesn't have enough funds|insufficient (?:eth|ether) /i,
  ],
  ['fee over cap', 'stays', /exceeds the configured cap|fee cap exceeded|fee exceeds cap/i],
  [
    'underpriced',
    'passes',
    /underpriced|FeeTooLow|fee too low|gas ?price (?:is )?too low|less than (?:the )?(?:current )?block base fee|below (?:configured minimum|current base fee|chain minimum|the minimum|minimum)|fee cap less than|less than gas price minimum|min(?:imum)? gas price|gas fee is too low|does not satisfy .*minimal gas price|unacceptable gas price/i,
  ],
  [
    'gas limit',
    'stays',
    /intrinsic gas|floor data gas|(?:exceeds?|above|over) (?:the )?(?:block|max(?:imum)? transaction) gas limit|block gas limit|GasLimitExceeded|gas limit reached|gas limit (?:is )?too (?:high|low|big)|gas uint64 overflow|exceeds current gas limit|gas is too low|gas required exceeds allowance|Not enough gas for transaction validation/i,
  ],
  [
    'invalid',
    'stays',
    /invalid (?:sender|signature|chain ?id|transaction type|message format|rlp)|wrong chain ?id|chain ?id (?:not supported|is required|mismatch)|transaction type not supported|unsupported transaction type|not supported tx ?type|negative value|oversized data|rlp|initcode|sender (?:is )?not an? EOA|SenderIsContract|FailedToResolveSender|recover sender|priority fee per gas (?:higher|exceeds)|max_priority_fee_per_gas.* greater|replay-protected|nonce has max value|empty auth|authorization list|no authorizations|too large|decode (?:signed )?transaction|unmarshal|typed transaction too short|transaction is not permitted|not authorized to send|forbidden sender|blacklist/i,
  ],
];

/** A contract's text follows, and may say anything. */
const REVERTED = /^(?:.{0,80}: )?(?:execution reverted|vm execution error|transaction reverted|reverted\b|vm exception)/i;

const rowOf = (message: string): Row | undefined => TEXTS.find(([, , pattern]) => pattern.test(message));

/** `said`: the answer to `eth_sendRawTransaction` that is no hash, and no trouble of the endpoint. */
export function outcomeOf(said: SaidError): EvmOutcome {
  const { code, message } = said;
  if (isMissing(said)) return 'unavailable';
  if (code === 3 || REVERTED.test(message)) return 'reverted';
  return rowOf(message)?.[0] ?? 'unknown';
}

/** How nodes say that they take no code of accounts with a question: geth and erigon, then others. */
const NOT_OFFERED = /too many arguments|state ?overrides?|invalid params|not (?:supported|implemented)/i;
const INVALID_PARAMS = -32602;

/** Whether the same question may get another answer in a moment. True for a text that no row matches. */
export function passes(said: SaidError): boolean {
  const { code, message } = said;
  if (isMissing(said) || code === INVALID_PARAMS || NOT_OFFERED.test(message)) return false;
  return rowOf(message)?.[1] !== 'stays';
}

/** From the most to the least informative. `unknown` comes before all refusals: an endpoint that did not answer may have sent it. */
const WEIGHT: readonly EvmOutcome[] = [
  'sent',
  'already known',
  'nonce too low',
  'unknown',
  'replacement underpriced',
  'underpriced',
  'nonce too high',
  'insufficient funds',
  'gas limit',
  'fee over cap',
  'reverted',
  'authority busy',
  'invalid',
  'rate limited',
  'unavailable',
];

/** The combined outcome of several endpoints. Without outcomes, no endpoint was asked. */
export const together = (outcomes: readonly EvmOutcome[]): EvmOutcome =>
  WEIGHT.find((outcome) => outcomes.includes(outcome)) ?? 'unavailable';

/**
 * Whether the transaction, or an earlier one with its nonce, may be pending: such a send is never called failed. It says nothing of
 * earlier attempts: an attempt that may have been sent stays so, whatever is answered later.
 */
export const mayBeSent = (outcome: EvmOutcome): boolean =>
  ['sent', 'already known', 'nonce too low', 'unknown', 'replacement underpriced'].includes(outcome);
