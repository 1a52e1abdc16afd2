import type { SendAttempt } from '../../../../model/send.ts';
import type { EvmPrices } from '../../../nodes/evm/fees.ts';
import { plainFailure } from '../../error.ts';
import { dearest, feesOf, mostCost, priceOf } from '../fees.ts';
import { apart } from './apart.ts';
import { type Broadcaster, noteRefused, type Refused, textOf } from './broadcast.ts';
import { knownNonce } from './known.ts';
import { isVoid } from './left-behind.ts';
import { isFar } from './nonces.ts';
import { current, drop, fillGap, isInTheWay, makeWay, mayBeOut, replace, supersede } from './replace.ts';
import { evmRow, rowOf } from './rows.ts';
import { transition } from './states.ts';
import { SLACK as MOST_GAPS } from './trust.ts';
import { BATCH, type EvmRow, type Ready, type Work } from './work.ts';

/** How long until a broadcast send is given to the nodes again: the time since its broadcast, within these bounds. In milliseconds. */
const AGAIN = { least: 5_000, most: 60_000 };
/** The wait after a temporary refusal. */
const LATER_MS = 1_000;
/** The wait after a refusal that will not change soon. */
const MUCH_LATER_MS = 10_000;
/** A transaction gets this time before one with higher fees replaces it. Only the first few nonces of an account are replaced. */
const PATIENCE = { ms: 15_000, nonces: 4 };
/** The wait after an unknown error, or after a refusal because of other pending transactions. */
const PUZZLED_MS = 60_000;
/** How long to wait for a missing transaction before the first of ours. */
const GAP_MS = 30_000;

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

/** The next broadcast for a send that is already broadcast. */
async function next(work: Work, send: EvmRow, attempts: readonly SendAttempt[], latest: number): Promise<Ready | undefined> {
  const mine = current(send, attempts);
  const attempt = toGive(mine);
  const isDropped = send.wish?.what === 'cancel' || send.error !== null;
  if (isDropped && mine.at(-1)?.purpose !== 'cancel') {
    const dropped = await drop(work, send, attempts);
    // If it cannot be replaced now, it is still pending.
    if (dropped !== undefined || attempt === undefined || !mayBeOut(mine)) return dropped;
  }
  const faster = send.wish?.what === 'speed-up' ? await replace(work, send, attempts) : undefined;
  if (faster !== undefined || attempt === undefined) return faster;
  const isOld = work.clock.now() - mine.at(-1)!.createdAt > PATIENCE.ms && send.nonce! - latest < PATIENCE.nonces;
  const most = isOld ? dearest(mine) : undefined;
  if (most === undefined || !isUnderpriced(most, await work.chain.prices())) return again(send, attempt);
  // A speed-up that could not be done does not change the usual bounds.
  const usual = isDropped ? send : { ...send, wish: null };
  // Attempts with higher fees would only delay it, by one patience each.
  const away = !isDropped && (await isInTheWay(work, usual)) ? await makeWay(work, usual, attempts) : undefined;
  if (away !== undefined) return away;
  const dearer = await (isDropped ? supersede : replace)(work, usual, attempts);
  return dearer ?? (await makeWay(work, usual, attempts)) ?? again(send, attempt);
}

async function lookAgainAt(work: Work, seen: EvmRow, latest: number): Promise<Ready | undefined> {
  const { read, clock, claimed } = work;
  const attempts = await read.sendAttempts.ofSend(seen.organizationId, seen.id);
  const last = current(seen, attempts).at(-1);
  const now = clock.now();
  const isOut = seen.nonce! >= latest;
  // Another transaction had its nonce, in a block that was reorganized away.
  const back = isOut && seen.blockNumber !== null ? { blockNumber: null, blockHash: '' } : {};
  const dueAt = now + (last === undefined ? MUCH_LATER_MS : againAfter(last, now));
  const send = await claimed.transaction((tx) => transition(tx, seen, 'looked at', { dueAt, ...back }, now));
  return isOut ? next(work, send, attempts, latest) : undefined;
}

/** Looks again at broadcast sends that are due: cancels, speeds up, replaces, or gives them to the nodes again. */
export async function lookAgain(work: Work, flow: Broadcaster, latest: number): Promise<number> {
  const { read, key, clock } = work;
  const due = (await read.sendsOfAccount.due(key, 'sent', clock.now(), BATCH)).map(evmRow);
  due.sort((a, b) => a.nonce! - b.nonce!);
  const ready: Ready[] = [];
  for (const seen of due) {
    const one = await apart(work, seen, () => lookAgainAt(work, seen, latest));
    if (one !== undefined) ready.push(one);
  }
  await flow.push(ready);
  return due.length;
}

/** Adds the account to the error: nodes do not say whose funds they mean. */
function refusalText({ send: { account, sponsored }, sent }: Refused): string {
  const text = textOf(sent);
  if (sent.outcome !== 'insufficient funds') return text;
  if (sponsored) return `the paymaster ${account} has too few coins for the gas, and its operator must send it more: ${text}`;
  return `${account} has too few coins for the value and the gas: ${text}`;
}

/** Ends a send that no node takes, and that none may have. */
async function giveUp(work: Work, refused: Refused): Promise<Ready | undefined> {
  const { send, attempt } = refused;
  const { claimed, clock, read } = work;
  const error = plainFailure(refusalText(refused));
  const marked = await claimed.transaction(async (tx) => {
    await tx.sendAttempts.note(attempt, { mayBeSent: false, said: error.message });
    return transition(tx, send, 'refused for good', { error, dueAt: clock.now() + MUCH_LATER_MS }, clock.now());
  });
  return drop(work, marked, await read.sendAttempts.ofSend(send.organizationId, send.id));
}

/** Whether all endpoints were asked, and none knows any of them. */
async function isNowhere({ node }: Work, attempts: readonly SendAttempt[]): Promise<boolean> {
  for (const { hash } of attempts) {
    const { value, answered, endpoints } = await node.transaction(hash as `0x${string}`);
    if (value !== undefined || answered < endpoints) return false;
  }
  return true;
}

/**
 * The node returned an unknown error; the transaction may have been accepted. It may be the next one of its account, with no
 * endpoint knowing it after a while. Then a transaction that does nothing takes its nonce: the one that gets into a block counts.
 */
async function afterPuzzle(work: Work, { send, attempt, sent }: Refused, latest: number): Promise<Ready | undefined> {
  const { read, claimed, clock } = work;
  const said = plainFailure(textOf(sent)).message;
  await claimed.transaction((tx) => tx.sendAttempts.note(attempt, { mayBeSent: true, said }));
  const attempts = await read.sendAttempts.ofSend(send.organizationId, send.id);
  const mine = current(send, attempts);
  const newest = mine.at(-1)!;
  if (send.nonce !== latest || (newest.purpose === 'cancel' && !isVoid(newest))) return undefined;
  // One refusal is too little, even long after it was signed.
  if (attempt.said === '' || clock.now() - newest.createdAt < PUZZLED_MS) return undefined;
  if (!(await isNowhere(work, mine))) return undefined;
  const error = plainFailure(`no node takes it, and none says why in known words: ${said}`);
  return supersede(work, { ...send, error }, attempts, { isNowhere: true });
}

/**
 * Pools add up the maximum cost of all pending transactions of one account. Those before it land, and cost less. The first one
 * waits a while for those behind it.
 */
async function waitsForFunds({ node, clock }: Work, { send, attempt }: Refused, latest: number): Promise<boolean> {
  const { intent, account, sponsored, nonce } = send;
  const value = sponsored ? 0n : intent.calls.reduce((sum, call) => sum + BigInt(call.value), 0n);
  const needs = mostCost(intent, priceOf(feesOf(attempt.fees ?? intent.fees))) + value;
  if ((await node.balance(account as `0x${string}`)) < needs) return false;
  return nonce! > latest || clock.now() - attempt.createdAt < PUZZLED_MS;
}

async function afterRefusal(work: Work, one: Refused, latest: number): Promise<Ready | undefined> {
  const { send, attempt, isNew, sent } = one;
  const { outcome, retryAfterMs } = sent;
  if (outcome === 'unknown') return afterPuzzle(work, one, latest);
  if (outcome === 'rate limited' || outcome === 'unavailable' || outcome === 'nonce too high') {
    await noteRefused(work, one, Math.max(retryAfterMs ?? 0, LATER_MS));
    return undefined;
  }
  const attempts = await work.read.sendAttempts.ofSend(send.organizationId, send.id);
  if (outcome === 'underpriced') {
    const noted = await noteRefused(work, one, MUCH_LATER_MS);
    return noted && attempt.purpose === 'send' ? replace(work, noted, attempts) : undefined;
  }
  const others = current(send, attempts).some(({ number, mayBeSent }) => number !== attempt.number && mayBeSent);
  if (!isNew || others || attempt.purpose !== 'send') {
    const noted = await noteRefused(work, one, MUCH_LATER_MS);
    // If voiding is refused, for example for lack of coins, a transaction that does nothing may still be taken.
    if (noted === undefined || !isNew || !isVoid(attempt)) return undefined;
    return supersede(work, noted, await work.read.sendAttempts.ofSend(send.organizationId, send.id));
  }
  if (outcome === 'insufficient funds' && (await waitsForFunds(work, one, latest))) {
    await noteRefused(work, one, MUCH_LATER_MS);
    return undefined;
  }
  return giveUp(work, one);
}

/**
 * Handles refused transactions: retries later or with higher fees, or gives up. The last nonces come first, so that they can be
 * given back.
 */
export async function afterRefusals(work: Work, flow: Broadcaster, latest: number): Promise<void> {
  const refused = flow.refused();
  refused.sort((a, b) => b.send.nonce! - a.send.nonce!);
  const ready: Ready[] = [];
  for (const one of refused) {
    const found = await apart(work, one.send, () => afterRefusal(work, one, latest));
    if (found !== undefined) ready.push(found);
  }
  await flow.push(ready.sort((a, b) => a.send.nonce! - b.send.nonce!));
}

/**
 * Fills a gap: a transaction before the first of ours is missing everywhere, and was not ours. A transaction that does nothing
 * takes its nonce.
 */
export async function mendGap(work: Work, flow: Broadcaster, said: number): Promise<void> {
  const { read, key, elapsed, memory, node, log } = work;
  const [first] = (await read.sendsOfAccount.byNonce(key, 'sent', { from: said, limit: 1 })).map(evmRow);
  const isNext = first === undefined || first.nonce === said;
  const latest = isNext ? said : await knownNonce(work, await rowOf(work), said);
  const isOurs = first?.nonce === latest || first === undefined || first.intent.form === 'raw';
  const isGiven = first !== undefined && first.intent.nonce !== null && first.intent.form !== 'sponsored';
  if (isOurs || isGiven || Number(await node.nonce(key.account as `0x${string}`, 'pending')) > latest) {
    memory.gapSince = undefined;
    return;
  }
  if (memory.gapSince === undefined && isFar(latest, first))
    log.error(
      { ...key, sendId: first.id, nonce: first.nonce, next: latest },
      'a send was signed with a nonce that is far away: it waits until the account gets there, and others go before it',
    );
  memory.gapSince ??= elapsed.now();
  if (isFar(latest, first) || elapsed.now() - memory.gapSince < GAP_MS) return;
  memory.gapSince = undefined;
  await apart(work, first, async () => {
    for (let nonce = latest; nonce < Math.min(first.nonce!, latest + MOST_GAPS); nonce++) {
      const filled = await fillGap(work, evmRow((await read.sends.get(first.organizationId, first.id))!), nonce);
      if (filled !== undefined) await flow.push([filled]);
    }
  });
}
