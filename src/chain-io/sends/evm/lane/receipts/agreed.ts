import type { Clock } from '../../../../../base/clock.ts';
import type { Lru } from '../../../../../base/lru.ts';
import { hasMessage, type SendAttempt } from '../../../../../model/send.ts';
import { costOf, type EvmReceipt } from '../../../../nodes/evm/values.ts';
import { hasExpired } from '../attempts/message-fate.ts';
import type { EvmRow, OnChain } from '../parts.ts';

type Hex = `0x${string}`;
type Asked = Pick<OnChain, 'node' | 'chain'>;

/**
 * How many blocks to wait for receipts that come late. Also how long until a block counts as final where no endpoint keeps its state.
 */
export const MARGIN = 64n;

/** The key of doubts about fees. Each account has doubts of its own. */
const FEES = 'fees';

/** How long endpoints that differ on the end of a send have to agree. Then what it counted stays reserved. */
const AGREE_MS = 600_000;
/** When a difference counts as a new one. Endpoints that never agree delay the sends of an account ten minutes in each hour. */
const FORGOTTEN_MS = 6 * AGREE_MS;

/** Since when endpoints differ, by a send and its block, or on fees. A process that does not know it begins anew. */
export type Doubts = { doubted: Lru<number>; clock: Clock };

/** Whether endpoints that differ on the end of a send may agree yet. A message is not gone before it has expired. */
export function mayAgree({ doubted, clock }: Doubts, send: EvmRow, attempts: readonly SendAttempt[]): boolean {
  const now = clock.now();
  if (hasMessage(send) && !hasExpired(send, attempts, now)) return false;
  return isRecent(doubted, keyOf(send), now);
}

const keyOf = ({ id, blockNumber }: EvmRow): string => `${id} ${blockNumber}`;

function isRecent(doubted: Lru<number>, key: string, now: number): boolean {
  const since = doubted.get(key) ?? now;
  doubted.set(key, since);
  return now - since < AGREE_MS;
}

/** The transactions that carry out a send, with all nonces that it had. */
const payments = (attempts: readonly SendAttempt[]): SendAttempt[] => attempts.filter(({ purpose }) => purpose === 'send');

/** Whether every endpoint says that it has none of these. */
async function areNowhere({ node }: Asked, attempts: readonly SendAttempt[]): Promise<boolean> {
  const receipts = await Promise.all(attempts.map(({ hash }) => node.everyone.receipt(hash as Hex)));
  return receipts.every((said) => said?.every((receipt) => receipt === undefined) === true);
}

/** The receipts of a send's transaction, if every endpoint has one, in the same block, which is final there. */
async function finalReceipts({ node, chain }: Asked, send: EvmRow): Promise<readonly EvmReceipt[] | undefined> {
  const [final, receipts] = await Promise.all([chain.finalForAll(), node.everyone.receipt(send.hash as Hex)]);
  if (final === undefined || receipts === undefined || final < BigInt(send.blockNumber!)) return undefined;
  const found = receipts.filter((one) => one !== undefined && one.blockHash === send.blockHash);
  return found.length === receipts.length ? (found as EvmReceipt[]) : undefined;
}

/**
 * Whether every endpoint has the transaction of a send as failed, in a block that is final there. It has no transaction with an earlier
 * nonce. One endpoint that lies is not enough.
 */
export async function failedForAll(on: Asked, send: EvmRow, attempts: readonly SendAttempt[]): Promise<boolean> {
  const receipts = await finalReceipts(on, send);
  const isFailed = receipts?.every(({ succeeded }) => !succeeded) === true;
  const others = payments(attempts).filter(({ nonce }) => nonce !== send.nonce);
  return isFailed && others.every(({ nonce }) => nonce! < send.nonce!) && areNowhere(on, others);
}

/** Whether its account paid for one transaction of a send alone, and a receipt has all of that. */
const paysOnce = ({ nonce, intent }: EvmRow, attempts: readonly SendAttempt[]): boolean =>
  intent.form !== 'raw' && attempts.every((one) => one.nonce === nonce);

/**
 * What an account paid for a send, by the endpoint that says most. 'open': endpoints differ, and may agree. They have ten minutes for
 * the send. They also have ten for the account since they last agreed, so that its sends do not pile up. Undefined: unknown.
 */
export async function paidForAll(
  on: Asked & Doubts,
  send: EvmRow,
  attempts: readonly SendAttempt[],
): Promise<bigint | 'open' | undefined> {
  if (!paysOnce(send, attempts)) return undefined;
  const receipts = await finalReceipts(on, send);
  if (receipts === undefined) {
    const now = on.clock.now();
    const since = on.doubted.get(FEES);
    if (since !== undefined && now - since > FORGOTTEN_MS) on.doubted.delete(FEES);
    const [ofSend, ofAccount] = [keyOf(send), FEES].map((key) => isRecent(on.doubted, key, now));
    return ofSend && ofAccount ? 'open' : undefined;
  }
  on.doubted.delete(FEES);
  if (receipts.some(({ effectiveGasPrice, hasOperatorFee }) => effectiveGasPrice === undefined || hasOperatorFee))
    return undefined;
  return receipts.map(costOf).reduce((most, one) => (one > most ? one : most));
}

/**
 * The nonces of an account in a final block, by every endpoint. Where nodes have no state of that block any more, a later block tells
 * them. Then the block in which the nonce was seen as used must be final for some time.
 */
async function noncesForAll({ node, chain }: Asked, { account, blockNumber }: EvmRow): Promise<bigint[] | undefined> {
  const [final, kept] = await Promise.all([chain.finalForAll(), chain.keptForAll()]);
  if (final === undefined) return undefined;
  const nonces = await node.everyone.nonce(account as Hex, final);
  if (nonces !== undefined || kept === undefined || kept <= final || BigInt(blockNumber!) + MARGIN > final) return nonces;
  return node.everyone.nonce(account as Hex, kept);
}

/** Whether every endpoint has each nonce of a send as used for good, and none of its transactions. */
export async function isUsedForAll(on: Asked, send: EvmRow, attempts: readonly SendAttempt[]): Promise<boolean> {
  const own = payments(attempts);
  const last = BigInt(Math.max(send.nonce!, ...own.map(({ nonce }) => nonce!)));
  const nonces = await noncesForAll(on, send);
  return nonces?.every((nonce) => nonce > last) === true && areNowhere(on, own);
}
