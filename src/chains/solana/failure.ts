/**
 * Where a failure was seen:
 * - by an endpoint before it passed the transaction on;
 * - in a simulation;
 * - on chain;
 * - in the request itself.
 */
export type SolanaFailureSource = 'preflight' | 'simulation' | 'execution' | 'rpc';

/** A node's facts about a transaction that fails. `err`: its TransactionError, as JSON. */
export type SolanaFailureFacts = {
  source: SolanaFailureSource;
  rpcCode?: number | undefined;
  rpcMessage?: string | undefined;
  err?: unknown;
  logs?: readonly string[] | undefined;
  unitsConsumed?: bigint | undefined;
  innerInstructions?: unknown;
};

/** The failure as a caller sees it. */
export type SolanaFailure = {
  source: SolanaFailureSource;
  rpcCode?: number;
  rpcMessage?: string;
  transactionErrorJson?: string;
  logs: string[];
  unitsConsumed?: string;
  innerInstructionsJson?: string;
};

const MOST_LOGS = 256;
const LONGEST_LOG = 1024;
const LONGEST_JSON = 16_384;
const LONGEST_MESSAGE = 600;

const plain = (text: string, longest: number) =>
  text
    .replace(/\p{Cc}+/gu, ' ')
    .slice(0, longest)
    .toWellFormed();

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** JSON, with texts for bigints; undefined if it is too long to keep. */
function jsonOf(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  const text = JSON.stringify(value, (_, one) => (typeof one === 'bigint' ? one.toString() : one));
  return text !== undefined && text.length <= LONGEST_JSON ? text : undefined;
}

/** «InsufficientFundsForRent» as «insufficient funds for rent». */
const words = (name: string) =>
  plain(name, 100)
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase();

/** A TransactionError or an InstructionError: a name, or an object of one name with its details. */
function named(error: unknown): string | undefined {
  if (typeof error === 'string') return words(error);
  if (!isObject(error)) return undefined;
  const [name] = Object.keys(error);
  if (name === undefined) return undefined;
  const of = error[name];
  if (name === 'Custom' && (typeof of === 'number' || typeof of === 'bigint')) return `custom program error 0x${of.toString(16)}`;
  if (typeof of === 'string') return `${words(name)}: ${plain(of, 200)}`;
  const index = isObject(of) ? of.account_index : undefined;
  return typeof index === 'number' ? `${words(name)} (account ${index})` : words(name);
}

/** A TransactionError in words. */
export function describeError(err: unknown): string | undefined {
  const inner = isObject(err) ? err.InstructionError : undefined;
  if (!Array.isArray(inner)) return named(err);
  const [index, error] = inner;
  const reason = named(error) ?? 'failed';
  return typeof index === 'number' || typeof index === 'bigint' ? `instruction ${index}: ${reason}` : reason;
}

/** The log line of Anchor's programs about their own errors. */
const OF_ANCHOR = /Error Message: (.{1,300}?)\.?$/;

/** The failure as callers see it, and one sentence about it. */
export function solanaFailure(facts: SolanaFailureFacts): { message: string; solana: SolanaFailure } {
  const { source, rpcCode, rpcMessage, err, unitsConsumed, innerInstructions } = facts;
  const logs = (facts.logs ?? []).slice(-MOST_LOGS).map((line) => plain(line, LONGEST_LOG));
  const said = logs.map((line) => OF_ANCHOR.exec(line)?.[1]).findLast((text) => text !== undefined);
  const reason = describeError(err);
  const message = [reason, said].filter((text) => text !== undefined).join(': ') || plain(rpcMessage ?? '', LONGEST_MESSAGE);
  const transactionErrorJson = jsonOf(err);
  const innerInstructionsJson = jsonOf(innerInstructions);
  return {
    message: plain(message || 'the transaction failed', LONGEST_MESSAGE),
    solana: {
      source,
      ...(rpcCode === undefined ? {} : { rpcCode }),
      ...(rpcMessage === undefined ? {} : { rpcMessage: plain(rpcMessage, LONGEST_MESSAGE) }),
      ...(transactionErrorJson === undefined ? {} : { transactionErrorJson }),
      logs,
      ...(unitsConsumed === undefined ? {} : { unitsConsumed: unitsConsumed.toString() }),
      ...(innerInstructionsJson === undefined ? {} : { innerInstructionsJson }),
    },
  };
}
