import { failPointsAround } from '../../../../../base/fail-point.ts';
import type { SendAttempt } from '../../../../../model/send.ts';
import type { EvmPrices } from '../../../../nodes/evm/fees.ts';
import { dearest, feesOf, priceOf } from '../../fees.ts';
import { type Backoff, withBackoff } from '../backoff.ts';
import { BATCH, type EvmRow, type Ready, type Signing } from '../parts.ts';
import { current, evmRow, isDropped } from '../rows.ts';
import { transition } from '../states.ts';
import type { Broadcaster } from './broadcast.ts';
import { drop } from './drop.ts';
import { mayBeOut } from './further-attempt.ts';
import { replace } from './replace.ts';
import { isPricedOut } from './spending.ts';
import { makeWay, supersede } from './supersede.ts';

/** How long until a broadcast send is given to the nodes again: the time since its broadcast, within these bounds. In milliseconds. */
const AGAIN = { least: 5_000, most: 60_000 };
/** The same for a send without an attempt. */
const MUCH_LATER_MS = 10_000;
/** A transaction gets this time before one with higher fees replaces it. Only the first few nonces of an account are replaced. */
const PATIENCE = { ms: 15_000, nonces: 4 };

const againAfter = ({ createdAt }: SendAttempt, now: number): number =>
  Math.min(Math.max(now - createdAt, AGAIN.least), AGAIN.most);

/** Whether blocks take only transactions that pay more now. */
function isUnderpriced(attempt: SendAttempt, prices: EvmPrices): boolean {
  if (attempt.fees === null) return false;
  const fees = feesOf(attempt.fees);
  if (prices.kind === 'legacy' || fees.kind === 'legacy')
    return priceOf(fees) < (prices.kind === 'legacy' ? prices.gasPrice : prices.baseFee);
  return fees.maxFeePerGas < prices.baseFee + prices.priorityFees[0] || fees.maxPriorityFeePerGas < prices.priorityFees[0];
}

/** The newest attempt; or one that may have been accepted, if no node took the newest. */
const toGive = (attempts: readonly SendAttempt[]): SendAttempt | undefined => {
  const newest = attempts.at(-1);
  return newest?.mayBeSent ? newest : (attempts.findLast(({ mayBeSent }) => mayBeSent) ?? newest);
};

const again = (send: EvmRow, attempt: SendAttempt): Ready => ({ send, attempt, isNew: !attempt.mayBeSent });

/** The next attempt for a send whose attempts pay too little. Undefined: none can be made now. */
async function dearer(signing: Signing, send: EvmRow, attempts: readonly SendAttempt[], isGone: boolean) {
  // A speed-up that could not be done does not change the usual bounds.
  const usual = isGone ? send : { wish: null, error: send.error };
  // Attempts with higher fees would only delay it, by one patience each.
  const away = !isGone && (await isPricedOut(signing, send)) ? await makeWay(signing, send, attempts, usual) : undefined;
  if (away !== undefined) return away;
  const next = isGone ? await supersede(signing, send, attempts) : await replace(signing, send, attempts, usual);
  return next ?? makeWay(signing, send, attempts, usual);
}

/** The next broadcast for a send that is already broadcast. */
async function nextBroadcast(
  signing: Signing,
  send: EvmRow,
  attempts: readonly SendAttempt[],
  latest: number,
): Promise<Ready | undefined> {
  const mine = current(send, attempts);
  const isGone = isDropped(send);
  const newest = mine.at(-1);
  // The cancellation alone is given again: the payment must not win.
  const attempt = isGone && newest?.purpose === 'cancel' ? newest : toGive(mine);
  if (isGone && newest?.purpose !== 'cancel') {
    const dropped = await drop(signing, send, attempts);
    // If it cannot be replaced now, it is still pending.
    if (dropped !== undefined || attempt === undefined || !mayBeOut(mine)) return dropped;
  }
  const faster = send.wish?.what === 'speed-up' ? await replace(signing, send, attempts) : undefined;
  if (faster !== undefined || attempt === undefined) return faster;
  const isOld = signing.clock.now() - newest!.createdAt > PATIENCE.ms && send.nonce! - latest < PATIENCE.nonces;
  const most = isOld ? dearest(mine) : undefined;
  if (most === undefined || !isUnderpriced(most, await signing.chain.prices())) return again(send, attempt);
  return (await dearer(signing, send, attempts, isGone)) ?? again(send, attempt);
}

async function lookAgainAt(signing: Signing, seen: EvmRow, latest: number): Promise<Ready | undefined> {
  const { read, clock, claimed } = signing;
  const attempts = await read.sendAttempts.ofSend(seen.organizationId, seen.id);
  const last = current(seen, attempts).at(-1);
  const now = clock.now();
  const isOut = seen.nonce! >= latest;
  // Another transaction had its nonce, in a block that was reorganized away.
  const back = isOut && seen.blockNumber !== null ? { blockNumber: null, blockHash: '' } : {};
  const dueAt = now + (last === undefined ? MUCH_LATER_MS : againAfter(last, now));
  const send = await failPointsAround('look-again', () =>
    claimed.transaction((tx) => transition(tx, seen, 'looked at', { dueAt, ...back }, now)),
  );
  return isOut ? nextBroadcast(signing, send, attempts, latest) : undefined;
}

/** Looks again at broadcast sends that are due: cancels, speeds up, replaces, or gives them to the nodes again. */
export async function lookAgain(signing: Signing, backoff: Backoff, flow: Broadcaster, latest: number): Promise<void> {
  const { read, key, clock } = signing;
  const due = (await read.sendsOfAccount.due(key, 'sent', clock.now(), BATCH)).map(evmRow);
  due.sort((a, b) => a.nonce! - b.nonce!);
  const ready: Ready[] = [];
  for (const seen of due) {
    const one = await withBackoff(backoff, seen, () => lookAgainAt(signing, seen, latest));
    if (one !== undefined) ready.push(one);
  }
  await flow.push(ready);
}
