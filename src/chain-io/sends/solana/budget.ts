import { withInstructions } from '../../../chains/solana/change.ts';
import type { Message } from '../../../chains/solana/message.ts';
import {
  budgetInstructions,
  budgetOf,
  COMPUTE_BUDGET,
  countsInstructions,
  durableNonce,
  MOST_UNITS,
  writableKeys,
} from '../../../chains/solana/programs.ts';
import { LONGEST, unsigned } from '../../../chains/solana/wire.ts';
import type { SolanaNode } from '../../nodes/solana/node.ts';
import type { SolanaSimulation } from '../../nodes/solana/values.ts';
import type { ReadRequest } from './read.ts';

export const base64Of = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');

/** Adds room to the units of the simulation: accounts may have changed when it lands. */
export const room = (units: bigint): bigint => {
  const limit = units + units / 10n + 1000n;
  return limit > MOST_UNITS ? MOST_UNITS : limit;
};

/**
 * The highest price for a unit that is paid unless the caller asks for more. It is 0.0014 SOL for all the units of a transaction.
 * In millionths of a lamport.
 */
const GREATEST_PRICE = 1_000_000n;

/** The price that was enough for three of four of the latest blocks. */
function priceOf(paid: readonly { lamports: bigint }[]): bigint {
  const sorted = paid.map(({ lamports }) => lamports).sort((a, b) => (a < b ? -1 : 1));
  const price = sorted[Math.floor((sorted.length * 3) / 4)] ?? 0n;
  return price > GREATEST_PRICE ? GREATEST_PRICE : price;
}

/** The most accounts that a node takes. */
const MOST_ACCOUNTS = 128;

/** The price for a unit. Not all nodes offer prices. */
export async function askPrice(node: Pick<SolanaNode, 'priorityFees'>, message: Message): Promise<bigint> {
  return priceOf(await node.priorityFees(writableKeys(message).slice(0, MOST_ACCOUNTS)).catch(() => []));
}

/**
 * The message with a compute budget:
 * - first, as clients put it;
 * - after the instruction that advances a durable nonce, which must be the first;
 * - last, if an instruction may count the instructions from the front.
 */
export function withBudget(message: Message, budget: { limit: bigint; price: bigint }): Message {
  const before = countsInstructions(message) ? message.instructions.length : durableNonce(message) ? 1 : 0;
  return withInstructions(message, COMPUTE_BUDGET, budgetInstructions(budget), before);
}

/** All the units that there are: a transaction uses the same number under every limit. */
export const withAllUnits = (message: Message): Message => withBudget(message, { limit: MOST_UNITS, price: 0n });

export const isTooLong = (message: Message): boolean => unsigned(message).length > LONGEST;

/** Whether a budget is estimated: its author set none, it may be changed, and there is room. */
export function lacksBudget({ message, isFixed }: ReadRequest): boolean {
  const { limit, price } = budgetOf(message);
  return !isFixed && limit === undefined && price === undefined && !isTooLong(withAllUnits(message));
}

/** Simulates the message as if everything were signed, whichever blockhash it has. */
export const tryOut = (node: Pick<SolanaNode, 'simulate'>, message: Message): Promise<SolanaSimulation> =>
  node.simulate(base64Of(unsigned(message)), { replaceBlockhash: true });
