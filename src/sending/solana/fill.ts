import { base58 } from '@scure/base';
import { invalidTransaction } from '../../chains/shared/transaction.ts';
import { withBlockhash, withInstructions } from '../../chains/solana/change.ts';
import { solanaFailure } from '../../chains/solana/failure.ts';
import type { Message } from '../../chains/solana/message.ts';
import {
  budgetData,
  budgetOf,
  COMPUTE_BUDGET,
  countsInstructions,
  durableNonce,
  greatestFee,
  MOST_UNITS,
  writableKeys,
} from '../../chains/solana/programs.ts';
import { LONGEST, SIGNATURE, unsigned } from '../../chains/solana/wire.ts';
import type { SolanaIntent } from '../../model/solana-intent.ts';
import type { SolanaNode } from '../../nodes/solana/node.ts';
import { outcomeOfError } from '../../nodes/solana/outcomes.ts';
import type { SolanaSimulation } from '../../nodes/solana/values.ts';
import { lacksBlockhash, type ReadRequest } from './read.ts';

export type FillingNode = Pick<SolanaNode, 'latestBlockhash' | 'simulate' | 'priorityFees'>;

/** What is filled in: all of the intent but whose keys sign. */
export type Filled = Omit<SolanaIntent, 'signWiths'>;

export const base64Of = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');

/** Above what the simulation used: accounts may have changed when it lands. */
const room = (units: bigint): bigint => {
  const limit = units + units / 10n + 1000n;
  return limit > MOST_UNITS ? MOST_UNITS : limit;
};

/** Nobody pays more for a unit without having said so: 0.0014 SOL for all the units of a transaction. In millionths of a lamport. */
const GREATEST_PRICE = 1_000_000n;

/** What three of four of the latest blocks took, at most. */
function priceOf(paid: readonly { lamports: bigint }[]): bigint {
  const sorted = paid.map(({ lamports }) => lamports).sort((a, b) => (a < b ? -1 : 1));
  const price = sorted[Math.floor((sorted.length * 3) / 4)] ?? 0n;
  return price > GREATEST_PRICE ? GREATEST_PRICE : price;
}

/** A node takes no more. */
const MOST_ACCOUNTS = 128;

type Budget = { limit: bigint; price: bigint };

/**
 * The message with a compute budget. It comes first, as clients put it; after the instruction that advances a durable nonce, which must be the
 * first; and at the end where something may count the instructions from the front.
 */
function withBudget(message: Message, budget: Budget): Message {
  const before = countsInstructions(message) ? message.instructions.length : durableNonce(message) ? 1 : 0;
  return withInstructions(message, COMPUTE_BUDGET, budgetData(budget), before);
}

const isTooLong = (message: Message) => unsigned(message).length > LONGEST;

/** Whether a budget is estimated: its author set none, it may be changed, and there is room. */
function lacksBudget({ message, isFixed }: ReadRequest): boolean {
  const { limit, price } = budgetOf(message);
  return !isFixed && limit === undefined && price === undefined && !isTooLong(withBudget(message, { limit: 0n, price: 0n }));
}

/** Tried out with all the units that there are: it uses as many for every limit. */
async function tryOut(node: FillingNode, message: Message): Promise<SolanaSimulation> {
  const tried = unsigned(withBudget(message, { limit: MOST_UNITS, price: 0n }));
  return node.simulate(base64Of(tried), { replaceBlockhash: true });
}

/** Prices are a service of nodes that not all have. */
const pricesOf = (node: FillingNode, message: Message) =>
  node.priorityFees(writableKeys(message).slice(0, MOST_ACCOUNTS)).catch(() => []);

function filled(
  read: ReadRequest,
  message: Message,
  more: Pick<Filled, 'blockhash' | 'lastValidBlockHeight' | 'refused'>,
): Filled {
  const transaction = unsigned(message);
  if (transaction.length > LONGEST) throw invalidTransaction(`it is longer than ${LONGEST} bytes with its fee payer`);
  // The slots stand after their number, which takes a byte: there is no room for 128.
  for (const [i, signature] of read.others) transaction.set(signature, 1 + i * SIGNATURE);
  const nonce = durableNonce(message);
  return {
    ...more,
    transaction: base64Of(transaction),
    nonceAccount: nonce?.account === undefined ? null : base58.encode(nonce.account),
    lamports: greatestFee(message).toString(),
  };
}

/** As far as it can be filled without asking: for decisions that are explained, or made again later. */
export function fillUnasked(read: ReadRequest): Filled {
  const message = lacksBudget(read) ? withBudget(read.message, { limit: MOST_UNITS, price: 0n }) : read.message;
  return filled(read, message, { blockhash: 'given', lastValidBlockHeight: null, refused: null });
}

/**
 * Fills in what the caller left open: the blockhash, and what the transaction may use and pays for it. A transaction that fails when it is
 * tried out is `refused`. Throws what the node throws.
 */
export async function fill(node: FillingNode, read: ReadRequest): Promise<Filled> {
  const { message } = read;
  const estimates = lacksBudget(read);
  const [latest, tried, paid] = await Promise.all([
    lacksBlockhash(message) ? node.latestBlockhash() : undefined,
    estimates ? tryOut(node, message) : undefined,
    estimates ? pricesOf(node, message) : [],
  ]);
  const timed = latest === undefined ? message : withBlockhash(message, base58.decode(latest.blockhash));
  const blockhash = latest !== undefined ? 'chosen' : durableNonce(message) ? 'nonce' : 'given';
  const lastValidBlockHeight = latest?.lastValidBlockHeight.toString() ?? null;
  const failed = tried?.err !== undefined && outcomeOfError(tried.err) !== 'unavailable';
  if (failed) {
    const refused = solanaFailure({ source: 'simulation', ...tried });
    return filled(read, timed, { blockhash, lastValidBlockHeight, refused });
  }
  const units = tried?.err === undefined ? tried?.unitsConsumed : undefined;
  const budgeted = units === undefined ? timed : withBudget(timed, { limit: room(units), price: priceOf(paid) });
  return filled(read, budgeted, { blockhash, lastValidBlockHeight, refused: null });
}
