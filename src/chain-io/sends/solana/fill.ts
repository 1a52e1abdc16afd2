import { base58 } from '@scure/base';
import { invalidTransaction } from '../../../chains/shared/transaction.ts';
import { withBlockhash } from '../../../chains/solana/change.ts';
import { solanaFailure } from '../../../chains/solana/failure.ts';
import type { Message } from '../../../chains/solana/message.ts';
import { durableNonce, greatestFee } from '../../../chains/solana/programs.ts';
import { LONGEST, SIGNATURE, unsigned } from '../../../chains/solana/wire.ts';
import type { SolanaIntent } from '../../../model/solana-intent.ts';
import type { SolanaNode } from '../../nodes/solana/node.ts';
import { outcomeOfError } from '../../nodes/solana/outcomes.ts';
import type { SolanaSimulation } from '../../nodes/solana/values.ts';
import { askPrice, base64Of, lacksBudget, room, tryOut, withAllUnits, withBudget } from './budget.ts';
import { lacksBlockhash, type ReadRequest } from './read.ts';
import { type Funded, withRent } from './rent.ts';

export type FillingNode = Pick<SolanaNode, 'latestBlockhash' | 'simulate' | 'priorityFees' | 'balance'>;

/** The filled-in intent, without the addresses whose keys sign. */
export type Filled = Omit<SolanaIntent, 'signWiths'>;

type Found = Pick<Filled, 'blockhash' | 'lastValidBlockHeight' | 'refused'> & { rent: bigint };

function filled(read: ReadRequest, message: Message, { rent, ...found }: Found): Filled {
  const transaction = unsigned(message);
  if (transaction.length > LONGEST) throw invalidTransaction(`it is longer than ${LONGEST} bytes with its fee payer`);
  // The slots come after their number, which takes one byte: there is no room for 128.
  for (const [i, signature] of read.others) transaction.set(signature, 1 + i * SIGNATURE);
  const nonce = durableNonce(message);
  return {
    ...found,
    transaction: base64Of(transaction),
    nonceAccount: nonce?.account === undefined ? null : base58.encode(nonce.account),
    rent: rent.toString(),
    lamports: (greatestFee(message) + rent).toString(),
  };
}

/** Fills in the values that need no node: for decisions that are explained, or made again later. */
export function fillUnasked(read: ReadRequest): Filled {
  const message = lacksBudget(read) ? withAllUnits(read.message) : read.message;
  return filled(read, message, { blockhash: 'given', lastValidBlockHeight: null, rent: 0n, refused: null });
}

/** The message with a budget, if it is estimated; or how it fails. */
async function budgeted(node: FillingNode, read: ReadRequest): Promise<Pick<Funded, 'message' | 'failed'>> {
  const { message } = read;
  if (!lacksBudget(read)) return { message, failed: undefined };
  const [tried, price] = await Promise.all([tryOut(node, withAllUnits(message)), askPrice(node, message)]);
  if (tried.err !== undefined) return { message, failed: tried };
  const units = tried.unitsConsumed;
  return { message: units === undefined ? message : withBudget(message, { limit: room(units), price }), failed: undefined };
}

async function prepared(node: FillingNode, read: ReadRequest, mostRent: bigint): Promise<Funded> {
  const funded = mostRent > 0n ? await withRent(node, read, mostRent) : { message: read.message, rent: 0n, failed: undefined };
  if (funded.failed !== undefined) return funded;
  return { rent: funded.rent, ...(await budgeted(node, { ...read, message: funded.message })) };
}

const isFailure = ({ err }: SolanaSimulation): boolean => outcomeOfError(err) !== 'unavailable';

/**
 * Fills in the values that the caller left open:
 * - the blockhash;
 * - the units that the transaction may use, and their price;
 * - if it is sponsored, its signers' rent.
 * A transaction that fails when it is tried out is `refused`. Throws the node's errors.
 */
export async function fill(node: FillingNode, read: ReadRequest, mostRent = 0n): Promise<Filled> {
  const [latest, { message, rent, failed }] = await Promise.all([
    lacksBlockhash(read.message) ? node.latestBlockhash() : undefined,
    prepared(node, read, mostRent),
  ]);
  const timed = latest === undefined ? message : withBlockhash(message, base58.decode(latest.blockhash));
  return filled(read, timed, {
    blockhash: latest !== undefined ? 'chosen' : durableNonce(message) ? 'nonce' : 'given',
    lastValidBlockHeight: latest?.lastValidBlockHeight.toString() ?? null,
    rent,
    refused: failed !== undefined && isFailure(failed) ? solanaFailure({ source: 'simulation', ...failed }) : null,
  });
}
