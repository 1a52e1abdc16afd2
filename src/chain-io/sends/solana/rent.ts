import { base58 } from '@scure/base';
import { invalidTransaction } from '../../../chains/shared/transaction.ts';
import { withInstructions } from '../../../chains/solana/change.ts';
import type { Message } from '../../../chains/solana/message.ts';
import { countsInstructions, durableNonce, mayCreate, SYSTEM, transferFromPayer } from '../../../chains/solana/programs.ts';
import { type Creation, creationsIn, rentFor } from '../../../chains/solana/rent.ts';
import type { SolanaNode } from '../../nodes/solana/node.ts';
import type { SolanaSimulation } from '../../nodes/solana/values.ts';
import { isTooLong, lacksBudget, tryOut, withAllUnits } from './budget.ts';
import type { ReadRequest } from './read.ts';

/** The message with its signers' lamports for rent. `failed`: how it fails however much they get. */
export type Funded = { message: Message; rent: bigint; failed: SolanaSimulation | undefined };

/** The lamports of each signer in the simulation, if the sponsor has that amount and some for the fee. */
const PLENTY = 1_000_000_000n;
const KEPT = 2_000_000n;

/** Lamports for signers, by their index. */
type Gifts = ReadonlyMap<number, bigint>;

/** Adds the transfers before all instructions that may spend them, in the order of the signers. */
function withGifts(message: Message, gifts: Gifts): Message {
  const before = durableNonce(message) ? 1 : 0;
  const transfers = [...gifts].map(([to, lamports]) => transferFromPayer(to, lamports));
  return withInstructions(message, SYSTEM, transfers, before);
}

/** Signers that may pay for accounts. The first key is the sponsor. */
function payersOf({ requiredSignatures, readonlySigned }: Message): number[] {
  return Array.from({ length: requiredSignatures - readonlySigned - 1 }, (_, i) => i + 1);
}

/** The rent that each signer pays, and nothing above that: the creator of an account may give it more. */
function giftsFor({ keys }: Message, payers: readonly number[], creations: readonly Creation[]): Gifts {
  const gifts = new Map<number, bigint>();
  const indexes = new Map(payers.map((index) => [base58.encode(keys[index]!), index]));
  for (const { space, paid } of creations) {
    let left = rentFor(space);
    for (const [from, lamports] of paid) {
      const part = lamports < left ? lamports : left;
      left -= part;
      const index = indexes.get(from);
      if (index !== undefined && part > 0n) gifts.set(index, (gifts.get(index) ?? 0n) + part);
    }
  }
  return new Map([...gifts].sort(([a], [b]) => a - b));
}

/**
 * Gives the signers of a sponsored transaction the rent of the accounts that it makes. It is tried out with more than enough, and
 * then gets what it used. `most`: for all of them. Nothing is given where nothing can be added. Throws INVALID_TRANSACTION, and the
 * node's errors.
 */
export async function withRent(node: Pick<SolanaNode, 'simulate' | 'balance'>, read: ReadRequest, most: bigint): Promise<Funded> {
  const { message, isFixed } = read;
  const nothing: Funded = { message, rent: 0n, failed: undefined };
  const payers = payersOf(message);
  if (isFixed || payers.length === 0 || !mayCreate(message) || countsInstructions(message)) return nothing;
  const share = ((await node.balance(base58.encode(message.keys[0]!))) - KEPT) / BigInt(payers.length);
  if (share <= 0n) return nothing;
  const trial = withGifts(message, new Map(payers.map((index) => [index, share < PLENTY ? share : PLENTY])));
  if (isTooLong(trial)) return nothing;
  const tried = await tryOut(node, lacksBudget({ ...read, message: trial }) ? withAllUnits(trial) : trial);
  if (tried.err !== undefined) return { ...nothing, failed: tried };
  const gifts = giftsFor(message, payers, creationsIn(tried.innerInstructions, message));
  const rent = [...gifts.values()].reduce((sum, lamports) => sum + lamports, 0n);
  if (rent > most)
    throw invalidTransaction(
      `its new accounts need ${rent} lamports of rent, but this service pays at most ${most} for one transaction: create fewer accounts in it`,
    );
  return { message: withGifts(message, gifts), rent, failed: undefined };
}
