import { failPoint } from '../../../../base/fail-point.ts';
import { lookUpSigner } from '../../../../domain/keys/signers.ts';
import type { SendAccount, SendAttempt } from '../../../../model/send.ts';
import type { Writer } from '../../../../store/types.ts';
import { type EvmFees, type EvmPrices, feesFor, replacementFees } from '../../../nodes/evm/fees.ts';
import { bound, dearest, feesOf, priceOf, storedFees } from '../fees.ts';
import { readEvm, readVoid } from '../read.ts';
import { type EvmSigned, type EvmTools, signEvm, signNoop, signVoid } from '../sign.ts';
import { knownTo } from './known.ts';
import { fateOf, isPublic, isVoid, withFate } from './left-behind.ts';
import { cancelled, evmRow, fail } from './rows.ts';
import { reserveAttempt } from './spending.ts';
import { transition } from './states.ts';
import { BATCH, type EvmRow, type Ready, type Work } from './work.ts';

type Hex = `0x${string}`;

/** The attempts that have the send's current nonce. */
export const current = ({ nonce }: EvmRow, attempts: readonly SendAttempt[]): SendAttempt[] =>
  attempts.filter((one) => one.nonce === nonce && one.purpose !== 'gap');

export const mayBeOut = (attempts: readonly SendAttempt[]): boolean => attempts.some(({ mayBeSent }) => mayBeSent);

/** The signing tools for the account that pays. Undefined if its key is not here, as for a raw transaction, or is gone. */
async function toolsFor({ read, vault, paymaster }: Work, send: EvmRow): Promise<EvmTools | undefined> {
  const { organizationId, intent, sponsored, account } = send;
  const named = intent.form === 'raw' ? account : intent.signWith;
  const signer = await lookUpSigner(read, organizationId, named);
  if (signer?.signer.disabled) return undefined;
  if (sponsored) return paymaster && { vault, signer, paymaster };
  return signer && { vault, signer, paymaster: undefined };
}

const boundOf = ({ intent, error, wish }: EvmRow, { settings }: Work): bigint =>
  bound(intent, error === null ? wish : { what: 'cancel', activityId: '', reason: '' }, settings);

/** Whether blocks may now take a transaction that pays at most `most` for a unit of gas. */
const isEnough = (most: bigint, prices: EvmPrices): boolean => prices.kind === 'legacy' || most >= prices.baseFee;

/**
 * Whether no block takes a sponsored send now, even at the highest fee within its bounds. Then it would block all sends that the
 * paymaster pays for.
 */
export const isInTheWay = async ({ chain, settings }: Work, { intent, sponsored }: EvmRow): Promise<boolean> =>
  sponsored && !isEnough(bound(intent, null, settings), await chain.prices());

/** The fees of the next attempt. Undefined: the broadcast attempts already pay the maximum. */
async function nextFees(
  work: Work,
  send: EvmRow,
  attempts: readonly SendAttempt[],
  most = boundOf(send, work),
): Promise<EvmFees | undefined> {
  const { wish, intent } = send;
  if (wish?.what === 'speed-up' && wish.fees !== undefined) return feesOf(wish.fees);
  const prices = await work.chain.prices();
  const before = dearest(attempts.filter(({ mayBeSent }) => mayBeSent));
  if (before?.fees != null) return replacementFees(feesOf(before.fees), prices, most);
  const now = feesFor(prices);
  return priceOf(now) <= most ? now : feesOf(intent.fees);
}

/** The wish for a speed-up is fulfilled by a replacement. */
function noteAttempt(tx: Writer, send: EvmRow, { purpose, hash }: SendAttempt, now: number): Promise<EvmRow> {
  if (purpose === 'send') return transition(tx, send, 'replaced', { hash, wish: null }, now);
  if (purpose === 'cancel') return transition(tx, send, 'superseded', { error: send.error }, now);
  return transition(tx, send, 'gap filled', {}, now);
}

/** It would cost more than is allowed. */
class TooDear extends Error {}

/** Stores a further attempt, which may be broadcast from then on. Undefined if it would exceed the payer's limits. */
async function storeAttempt(work: Work, send: EvmRow, attempt: SendAttempt): Promise<Ready | undefined> {
  await failPoint('before replace');
  const stored = work.claimed.transaction(async (tx) => {
    const now = work.clock.now();
    await tx.sendAttempts.insert(attempt);
    const changed = await noteAttempt(tx, send, attempt, now);
    if (!(await reserveAttempt(work, tx, send, attempt, now))) throw new TooDear();
    return { send: changed, attempt, isNew: true };
  });
  const ready = await stored.catch((error) => {
    if (error instanceof TooDear) return undefined;
    throw error;
  });
  await failPoint('after replace');
  return ready;
}

function nextAttempt(work: Work, send: EvmRow, attempts: readonly SendAttempt[], signed: EvmSigned, more: Partial<SendAttempt>) {
  return {
    organizationId: send.organizationId,
    sendId: send.id,
    number: (attempts.at(-1)?.number ?? 0) + 1,
    purpose: 'send' as const,
    nonce: send.nonce,
    signed: Buffer.from(signed.signed),
    hash: signed.hash,
    fees: null,
    // It is given to the nodes right after this is stored.
    mayBeSent: true,
    said: '',
    lastValidBlockHeight: null,
    createdAt: work.clock.now(),
    ...more,
  };
}

/** The same transaction with higher fees. Undefined if that is not possible now. `attempts`: all of the send. */
export async function replace(work: Work, send: EvmRow, attempts: readonly SendAttempt[]): Promise<Ready | undefined> {
  if (send.intent.form === 'raw') return undefined;
  const fees = await nextFees(work, send, current(send, attempts));
  const tools = fees && (await toolsFor(work, send));
  if (fees === undefined || tools === undefined || tools.signer === undefined) return undefined;
  const reading = await readEvm(work.node, send, work.clock.now(), knownTo(work, send));
  if (reading.is !== 'ready') return undefined;
  const messageNonce = send.messageNonce === null ? null : BigInt(send.messageNonce);
  const allocated = { nonce: BigInt(send.nonce!), fees, reading, messageNonce, now: work.clock.now() };
  const signed = signEvm(tools, send, allocated);
  const attempt = nextAttempt(work, send, attempts, signed, { fees: storedFees(fees) });
  return storeAttempt(work, send, attempt);
}

async function noop(work: Work, send: EvmRow, nonce: number, fees: EvmFees): Promise<EvmSigned | undefined> {
  const { caip2, account, sponsored } = send;
  const { vault, paymaster } = work;
  // A transaction of the paymaster needs no key but the paymaster's.
  const tools = sponsored ? paymaster && { vault, signer: undefined, paymaster } : await toolsFor(work, send);
  if (tools === undefined) return undefined;
  const isPlain = (await work.node.code(account as Hex)) === '0x';
  return signNoop(tools, { caip2, account, nonce: BigInt(nonce), fees, ...(isPlain ? { gas: 21_000n } : {}) });
}

/** Spends the nonce of a message that another party may have. Undefined if there is none, or if it is not possible now. */
async function voiding(
  work: Work,
  send: EvmRow,
  attempts: readonly SendAttempt[],
  fees: EvmFees,
): Promise<EvmSigned | undefined> {
  const mine = current(send, attempts);
  const now = work.clock.now();
  // Nodes would refuse it again.
  if (!isPublic(send, attempts, now) || mine.some((one) => !one.mayBeSent && isVoid(one))) return undefined;
  const tools = await toolsFor(work, send);
  const reading = tools?.signer && (await readVoid(work.node, send, knownTo(work, send)));
  if (reading === undefined) return undefined;
  // Its account's authorization has the following nonce. That nonce belongs to another send unless it was taken for this.
  const isPair = mine.some(({ signed }) => signed[0] === 4);
  if (send.intent.form === 'batch' && !reading.delegated && !isPair) return undefined;
  const { messageNonce } = reading;
  return signVoid(tools!, send, { nonce: BigInt(send.nonce!), fees, reading, messageNonce, now });
}

/**
 * Another transaction takes the send's nonce. It voids the send's message or, if there is none to void, does nothing. Undefined if
 * that is not possible now.
 * - `most`: the highest price that it may pay so that others go on. The send then comes again later, and so does its message.
 * - `isNowhere`: no node knows the replaced transaction, so it need not be outbid.
 */
export async function supersede(
  work: Work,
  send: EvmRow,
  attempts: readonly SendAttempt[],
  { most, isNowhere = false }: { most?: bigint; isNowhere?: boolean } = {},
): Promise<Ready | undefined> {
  const mine = current(send, attempts);
  const same = isNowhere ? dearest(mine)?.fees : undefined;
  const fees = (await nextFees(work, send, mine, most)) ?? (same ? feesOf(same) : undefined);
  if (fees === undefined) return undefined;
  const store = (signed: EvmSigned) =>
    storeAttempt(work, send, nextAttempt(work, send, attempts, signed, { purpose: 'cancel', fees: storedFees(fees) }));
  const voids = most === undefined && !(isNowhere && mine.some(isVoid)) ? await voiding(work, send, attempts, fees) : undefined;
  const stored = voids && (await store(voids));
  if (stored !== undefined) return stored;
  const signed = await noop(work, send, send.nonce!, fees);
  return signed && store(signed);
}

/**
 * A sponsored send whose bound is below the current base fee blocks all sends that the same paymaster pays for. If one of those
 * behind it may pay more, a transaction that does nothing takes its nonce. The send itself gets another nonce once that transaction
 * is final.
 */
export async function makeWay(work: Work, send: EvmRow, attempts: readonly SendAttempt[]): Promise<Ready | undefined> {
  if (!send.sponsored) return undefined;
  const { read, key, clock, chain, settings } = work;
  const behind = [
    ...(await read.sendsOfAccount.lastByNonce(key, 'sent', BATCH)).filter(({ nonce }) => nonce! > send.nonce!),
    ...(await read.sendsOfAccount.due(key, 'queued', clock.now(), BATCH)),
  ];
  const bounds = behind.map((one) => bound(evmRow(one).intent, null, settings));
  const most = bounds.reduce((dear, one) => (one > dear ? one : dear), 0n);
  if (!isEnough(most, await chain.prices())) return undefined;
  return supersede(work, send, attempts, { most });
}

/** Whether no other signed transaction of the account has its nonce or a higher one. */
async function isLast(tx: Writer, send: EvmRow): Promise<boolean> {
  for (const state of ['signed', 'sent'] as const) {
    const last = await tx.sendsOfAccount.lastByNonce(send, state, 2);
    if (last.some(({ id, nonce }) => id !== send.id && nonce! >= send.nonce!)) return false;
  }
  return true;
}

/** Ends a send that certainly no node has, and gives its nonce back. False if later ones wait behind it: then its nonce must be used. */
async function giveBack(work: Work, send: EvmRow, attempts: readonly SendAttempt[]): Promise<boolean> {
  const error = send.error ?? cancelled(send);
  const told = withFate(error, await fateOf(work, send, attempts, undefined));
  return work.claimed.transaction(async (tx, row: SendAccount) => {
    if (!(await isLast(tx, send))) return false;
    if (row.nextNonce !== null && row.nextNonce > send.nonce!) {
      await tx.sendAccounts.change(row, { nextNonce: send.nonce });
      row.nextNonce = send.nonce;
    }
    const failed = await fail(tx, send, 'nonce given back', told, row, work.clock.now());
    await work.gas.release(tx, failed);
    return true;
  });
}

/**
 * Removes a send that is cancelled, or that no node takes. Its nonce is given back, or a transaction that does nothing takes it.
 * Returns the transaction to broadcast.
 */
export async function drop(work: Work, send: EvmRow, attempts: readonly SendAttempt[]): Promise<Ready | undefined> {
  const now = current(send, attempts);
  // If it was broadcast with an earlier nonce, its message is left to void.
  const isLeft = send.wish?.what === 'cancel' && isPublic(send, attempts, work.clock.now());
  if (!mayBeOut(now) && !isLeft && (await giveBack(work, send, attempts))) return undefined;
  const newest = now.at(-1);
  if (newest?.purpose === 'cancel') return { send, attempt: newest, isNew: !newest.mayBeSent };
  return supersede(work, send, attempts);
}

/** Fills a nonce before the first of ours. A transaction of another party had it, and no longer has it. */
export async function fillGap(work: Work, send: EvmRow, nonce: number): Promise<Ready | undefined> {
  const attempts = await work.read.sendAttempts.ofSend(send.organizationId, send.id);
  const known = attempts.findLast((one) => one.purpose === 'gap' && one.nonce === nonce);
  if (known !== undefined) return { send, attempt: known, isNew: !known.mayBeSent };
  const prices = feesFor(await work.chain.prices());
  const signed = await noop(work, send, nonce, prices);
  if (signed === undefined) return undefined;
  const attempt = nextAttempt(work, send, attempts, signed, { purpose: 'gap', nonce, fees: storedFees(prices) });
  return storeAttempt(work, send, attempt);
}
