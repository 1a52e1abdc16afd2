import { isObject } from '../../../base/json.ts';
import { isMissing } from '../trouble.ts';
import type { SaidError } from '../types.ts';

/**
 * An endpoint's outcome for a signed transaction.
 * - `sent`: it passes it on. That is no promise: it may be lost, and is sent again until its blockhash expires.
 * - `already processed`: the chain has it.
 * - `blockhash not found`: it expired, or the endpoint does not have it yet. The block height tells.
 * - `simulation failed`: the endpoint tried it out, and it failed.
 * - `insufficient funds`: the fee payer has too little, or does not exist.
 * - `invalid`: a signature is wrong, or the transaction cannot be read.
 * - `rate limited`, `unavailable`: the endpoint did nothing with it.
 * - `unknown`: it may be sent.
 */
export type SolanaOutcome =
  | 'sent'
  | 'already processed'
  | 'unknown'
  | 'simulation failed'
  | 'insufficient funds'
  | 'blockhash not found'
  | 'invalid'
  | 'rate limited'
  | 'unavailable';

/** From the most to the least informative. An endpoint that tried it out knew its blockhash. */
const WEIGHT: readonly SolanaOutcome[] = [
  'sent',
  'already processed',
  'unknown',
  'simulation failed',
  'insufficient funds',
  'blockhash not found',
  'invalid',
  'rate limited',
  'unavailable',
];

/** TransactionErrors that say more than that it failed. */
const ERRORS: Readonly<Record<string, SolanaOutcome>> = {
  AlreadyProcessed: 'already processed',
  BlockhashNotFound: 'blockhash not found',
  AccountNotFound: 'insufficient funds',
  InsufficientFundsForFee: 'insufficient funds',
  InvalidAccountForFee: 'insufficient funds',
  SignatureFailure: 'invalid',
  SanitizeFailure: 'invalid',
  UnsupportedVersion: 'invalid',
  MissingSignatureForFee: 'invalid',
  ClusterMaintenance: 'unavailable',
  AccountInUse: 'unavailable',
  WouldExceedMaxBlockCostLimit: 'unavailable',
  WouldExceedMaxAccountCostLimit: 'unavailable',
};

const TEXTS: readonly (readonly [SolanaOutcome, RegExp])[] = [
  ['already processed', /already been processed|AlreadyProcessed/i],
  ['blockhash not found', /blockhash not found|BlockhashNotFound|block height exceeded/i],
  [
    'insufficient funds',
    /debit an account but found no record of a prior credit|insufficient funds for fee|InsufficientFundsForFee/i,
  ],
  ['simulation failed', /simulation failed|custom program error|error processing instruction/i],
  [
    'invalid',
    /signature verification|failed to (?:deserialize|sanitize)|invalid (?:base(?:58|64)|transaction|params)|too large|unsupported transaction version|signature length|not signed|failed to decode/i,
  ],
];

/** -32003: a signature is wrong. -32006, -32013 and -32015: a precompile's signature, the signature length, the version. */
const INVALID_CODES = new Set([-32003, -32006, -32013, -32015, -32602]);

/** The outcome of a TransactionError. Null is success. */
export function outcomeOfError(err: unknown): SolanaOutcome {
  if (err === null || err === undefined) return 'sent';
  const name = typeof err === 'string' ? err : isObject(err) ? (Object.keys(err)[0] ?? '') : '';
  return ERRORS[name] ?? 'simulation failed';
}

/** `said`: the answer to `sendTransaction` that is no signature, and no trouble of the endpoint. */
export function solanaOutcomeOf(said: SaidError): SolanaOutcome {
  const { code, message, data } = said;
  if (isMissing(said)) return 'unavailable';
  const err = isObject(data) ? data.err : undefined;
  if (err !== undefined && err !== null) return outcomeOfError(err);
  const found = TEXTS.find(([, pattern]) => pattern.test(message))?.[0];
  if (found !== undefined) return found;
  if (INVALID_CODES.has(code)) return 'invalid';
  return code === -32002 ? 'simulation failed' : 'unknown';
}

export const solanaTogether = (outcomes: readonly SolanaOutcome[]): SolanaOutcome =>
  WEIGHT.find((outcome) => outcomes.includes(outcome)) ?? 'unavailable';

/** Whether it may be under way. It may land while its blockhash is valid, whatever one endpoint says. */
export const mayLand = (outcome: SolanaOutcome): boolean => ['sent', 'already processed', 'unknown'].includes(outcome);
