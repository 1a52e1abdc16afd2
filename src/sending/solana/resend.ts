import { sameBytes } from '../../base/bytes.ts';
import { failPoint } from '../../base/fail-point.ts';
import { readTransaction } from '../../chains/solana/wire.ts';
import type { Send, SendAttempt } from '../../model/send.ts';
import { plainFailure } from '../error.ts';
import { signOne } from './begin.ts';
import { type Given, giveToNodes } from './deliver.ts';
import { type Found, fail, intentOf, isNowhere, type Work } from './work.ts';

/** A node keeps a transaction no longer than it must. */
const AGAIN_MS = 2_000;
/** One with a durable nonce may wait for days. */
const SELDOM_MS = 30_000;
const YOUNG_MS = 120_000;

/** A blockhash is over when the chain's final block is so many after the last that it counts for: endpoints behind one name may differ. */
const GRACE_BLOCKS = 32n;
/** About ten minutes: by then, one endpoint that answers will do to say that it did not land. */
const LONG_BLOCKS = 1_500n;

/** How many blockhashes the service chooses for one send. */
const MOST_BLOCKHASHES = 4;

/** The nonce stands 40 bytes into a nonce account, after its version, its state and its authority. */
const NONCE_AT = 40;

/** Whether the durable nonce of a transaction was used, by it or by another one. */
async function isNonceUsed({ node }: Work, send: Send, attempt: SendAttempt): Promise<boolean> {
  const account = await node.account(intentOf(send).nonceAccount!);
  const { blockhash } = readTransaction(attempt.signed).message;
  return account === undefined || !sameBytes(account.data.subarray(NONCE_AT, NONCE_AT + 32), blockhash);
}

/** The latest transaction of those sends that are to be given again now. */
async function dueAgain({ read, clock, memory }: Work, sends: readonly Send[]): Promise<Given[]> {
  const now = clock.now();
  const due = sends.filter((send) => {
    const last = memory.given.get(send.id);
    return last === undefined || now - last >= (now - send.updatedAt < YOUNG_MS ? AGAIN_MS : SELDOM_MS);
  });
  const given: Given[] = [];
  for (const send of due) {
    const attempt = (await read.sendAttempts.ofSend(send.organizationId, send.id)).at(-1);
    if (attempt !== undefined) given.push({ send, attempt });
  }
  return given;
}

const expired = (send: Send, last: bigint): string =>
  intentOf(send).blockhash === 'nonce'
    ? 'its nonce account has another durable nonce, and no block has the transaction'
    : `the transaction expired: its blockhash was good until block ${last}, and no block up to then has it`;

/**
 * A transaction whose blockhash is over, by the final block height. If certainly no block has it, it is signed anew with a blockhash that the
 * service chooses again, or fails.
 */
async function settleExpired(work: Work, { send, attempt }: Given, last: bigint, height: bigint): Promise<Found | undefined> {
  const { node, claimed, clock, memory } = work;
  memory.given.set(send.id, clock.now());
  // Asked after the height: what is in a final block is found.
  const [found] = await node.statuses([attempt.hash], { history: true });
  if (found?.value !== undefined) return { send, status: found.value };
  const isCertain = found !== undefined && isNowhere(found);
  if (!isCertain && !(found !== undefined && found.answered > 0 && height > last + LONG_BLOCKS)) return undefined;
  if (intentOf(send).blockhash === 'nonce' && !(await isNonceUsed(work, send, attempt))) {
    // The fork in which it was used was left.
    await claimed.transaction((tx) => tx.sendAttempts.expire(attempt, null));
    return undefined;
  }
  const again = isCertain && intentOf(send).blockhash === 'chosen' && attempt.number < MOST_BLOCKHASHES;
  const latest = again ? await node.latestBlockhash() : undefined;
  memory.given.delete(send.id);
  await failPoint('before replace');
  await claimed.transaction((tx) => {
    if (latest === undefined) return fail(tx, work, send, plainFailure(expired(send, last)));
    return signOne(tx, work, send, attempt.number + 1, { blockhash: latest.blockhash, last: latest.lastValidBlockHeight });
  });
  await failPoint('after replace');
  return undefined;
}

/** A durable nonce that was used: by this transaction, or by another one, and then it never lands once that is final. */
async function noteUsedNonce({ node, claimed, clock, memory }: Work, { send, attempt }: Given): Promise<Found | undefined> {
  const seenAt = Number(await node.blockHeight('confirmed'));
  const [found] = await node.statuses([attempt.hash], { history: true });
  if (found?.value !== undefined) return { send, status: found.value };
  await claimed.transaction((tx) => tx.sendAttempts.expire(attempt, seenAt));
  memory.given.set(send.id, clock.now());
  return undefined;
}

/**
 * Gives transactions that no block has to the nodes again, until their blockhash is over; then settles them. Returns those that are in a
 * block after all.
 */
export async function resend(work: Work, missing: readonly Send[]): Promise<Found[]> {
  const given = await dueAgain(work, missing);
  if (given.length === 0) return [];
  const height = await work.node.blockHeight('finalized');
  const again: Given[] = [];
  const found: (Found | undefined)[] = [];
  for (const one of given) {
    const { send, attempt } = one;
    const last = attempt.lastValidBlockHeight;
    if (last === null && (await isNonceUsed(work, send, attempt))) found.push(await noteUsedNonce(work, one));
    else if (last !== null && height > BigInt(last) + GRACE_BLOCKS)
      found.push(await settleExpired(work, one, BigInt(last), height));
    else again.push(one);
  }
  await giveToNodes(work, again);
  return found.filter((one) => one !== undefined);
}
