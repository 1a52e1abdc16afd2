import { readSignedTransaction } from '../../../../../chains/ethereum/signed-transaction.ts';
import type { SendAttempt } from '../../../../../model/send.ts';
import type { Writer } from '../../../../../store/types.ts';
import type { EvmPrices } from '../../../../nodes/evm/fees.ts';
import { costOf } from '../../../../nodes/evm/values.ts';
import { bound, feesOf, mostCost, priceOf } from '../../fees.ts';
import type { Costs, EvmRow, OnChain, Owner } from '../parts.ts';
import { isDropped } from '../rows.ts';

const mostAt = ({ intent }: EvmRow, attempt: SendAttempt): bigint => mostCost(intent, priceOf(feesOf(attempt.fees!)));

/** The most that a send may cost when it is signed with another nonce. That is the cost with which it was accepted. */
const mostAgain = ({ settings }: Pick<Costs, 'settings'>, { intent }: EvmRow): bigint =>
  mostCost(intent, bound(intent, null, settings));

/** The most that a transaction may cost that takes the send's nonce instead of it. */
function mostOfInstead({ intent }: EvmRow, { signed, fees }: SendAttempt): bigint {
  return readSignedTransaction(signed).fields.gas * priceOf(feesOf(fees!)) + BigInt(intent.dataFee ?? 0);
}

/** The most that a send may cost while these attempts are broadcast. */
export function mostOut(costs: Pick<Costs, 'settings'>, send: EvmRow, attempts: readonly SendAttempt[]): bigint {
  const priced = attempts.filter(({ fees }) => fees !== null);
  const each = priced.map((one) => (one.purpose === 'cancel' ? mostOfInstead(send, one) : mostAt(send, one)));
  return each.reduce((most, one) => (one > most ? one : most), mostAgain(costs, send));
}

/**
 * Reserves the cost of a further attempt, in the transaction that stores it, after its last other write. False if the payer's
 * limits have no room for it.
 *  An attempt that ends the send is signed whatever the limits say. It costs at most an eighth more than was reserved. So is one that
 *  only takes a nonce, because others wait behind it. If the send is signed again later, that cost is reserved too, as far as there
 *  is room.
 */
export async function reserveAttempt(
  costs: Costs,
  tx: Writer,
  send: EvmRow,
  attempt: SendAttempt,
  now: number,
): Promise<boolean> {
  const { gas } = costs;
  // No send caused a gap.
  if (attempt.purpose === 'gap' || attempt.fees === null) return true;
  if (attempt.purpose === 'send') return gas.raise(tx, send, mostAt(send, attempt), now);
  const own = mostOfInstead(send, attempt);
  if (isDropped(send) || !(await gas.raise(tx, send, own + mostAgain(costs, send), now))) await gas.cover(tx, send, own);
  return true;
}

/** Whether the payer's limits have room to sign a send again that has already spent something. Reserves it. */
export async function hasRoom(
  { claimed, clock, ...costs }: Pick<Owner, 'claimed' | 'clock'> & Costs,
  send: EvmRow,
): Promise<boolean> {
  if (!send.sponsored || send.spent === '0') return true;
  return claimed.transaction((tx) => costs.gas.raise(tx, send, mostAgain(costs, send), clock.now()));
}

/** Whether blocks may now take a transaction that pays at most `most` for a unit of gas. */
export const coversBaseFee = (most: bigint, prices: EvmPrices): boolean => prices.kind === 'legacy' || most >= prices.baseFee;

/**
 * Whether no block takes a sponsored send now, even at the highest fee within its bounds. Then it would block all sends that the
 * paymaster pays for.
 */
export const isPricedOut = async (
  { chain, settings }: Pick<OnChain, 'chain'> & Pick<Costs, 'settings'>,
  { intent, sponsored }: EvmRow,
): Promise<boolean> => sponsored && !coversBaseFee(bound(intent, null, settings), await chain.prices());

/** The paymaster's cost of filling gaps before a send, as far as receipts are found. `attempts`: all of the send. */
export async function gapsCost({ node }: Pick<OnChain, 'node'>, send: EvmRow, attempts: readonly SendAttempt[]): Promise<bigint> {
  if (!send.sponsored) return 0n;
  // Earlier gaps were before a nonce that the send had before.
  const since = attempts.find(({ purpose, nonce }) => purpose !== 'gap' && nonce === send.nonce)?.number ?? 0;
  let sum = 0n;
  for (const { purpose, number, hash } of attempts) {
    if (purpose !== 'gap' || number < since) continue;
    const { value } = await node.receipt(hash as `0x${string}`);
    if (value !== undefined) sum += costOf(value);
  }
  return sum;
}
