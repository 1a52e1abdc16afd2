import { failPointsAround } from '../../../../../base/fail-point.ts';
import type { SendAccount } from '../../../../../model/send.ts';
import type { Writer } from '../../../../../store/types.ts';
import { plainFailure, type SendError } from '../../../error.ts';
import { sendOfSameTransaction } from '../../../same-transaction.ts';
import type { Costs, EvmRow, Owner, Ready } from '../parts.ts';
import { authorityOf, changeAuthority, fail, hasPending, isCancelled } from '../rows.ts';
import { ChangedMeanwhile, transition, unlessChanged } from '../states.ts';
import { firstLookAt } from './broadcast.ts';
import type { Authority, Plan } from './plan.ts';

/** A send with its signed attempt. `uses`: how many nonces it takes. `authority`: our counts for the account whose message it brings. */
export type Signed = Pick<Ready, 'send' | 'attempt'> & {
  nonce: number;
  messageNonce: number | null;
  authorizes: boolean;
  authority: Authority | undefined;
};

/**
 * A signed batch that is not stored. `plans`: of the sends that are not signed. `next`: the first nonce that is free afterwards.
 * `isFull`: others must be in blocks first. `seen`: the account when the nonces were assigned. `left`: there may be more.
 */
export type Batch = { signed: Signed[]; plans: Plan[]; next: number; isFull: boolean; seen: SendAccount; left: boolean };

/**
 * One lane at a time brings an account's messages. It brings the account's authorization only while none of the account's own
 * transactions is broadcast.
 */
async function takeMessage(tx: Writer, one: Signed, row: SendAccount): Promise<void> {
  const { send, messageNonce, authorizes } = one;
  if (messageNonce === null) return;
  const authority = await authorityOf(tx, send, row);
  const { messages, messagesTaken, nextNonce } = authority;
  // The chain's answer may predate other messages of ours, which may be in blocks already.
  if (messages > 0 || messagesTaken !== one.authority?.messagesTaken)
    throw new ChangedMeanwhile('other messages of the account were signed meanwhile');
  if (authorizes && nextNonce !== one.authority.nextNonce) throw new ChangedMeanwhile('the account sent meanwhile');
  if (authorizes && (await hasPending(tx, authority))) throw new ChangedMeanwhile('transactions of the account are on their way');
  const taken = { messageLane: send.account, messages: messages + 1, messagesTaken: messagesTaken + 1 };
  await changeAuthority(tx, authority, row, taken);
}

/**
 * Why a send with a given nonce is not sent: another send is the very same transaction, which happens once. A transaction that
 * arrived signed is followed all the same: its caller asks for that one transaction.
 */
async function whyDuplicate(tx: Writer, send: EvmRow, hash: string): Promise<SendError | undefined> {
  const { form, nonce } = send.intent;
  if (nonce === null || form === 'sponsored' || form === 'raw' || isCancelled(send)) return undefined;
  const other = await sendOfSameTransaction(tx, send, hash);
  if (other === undefined) return undefined;
  return plainFailure(`this very transaction is sent already, as ${other}: give it another nonce, or none`);
}

/** The batch is void if the account's nonces or messages changed since it was signed. */
function requireUnchanged(row: SendAccount, seen: SendAccount): void {
  if (row.nextNonce !== seen.nextNonce) throw new ChangedMeanwhile('the nonces of the account were taken otherwise');
  if (row.messages > 0 && row.messageLane !== row.account) throw new ChangedMeanwhile('another account brings its messages');
  if (row.messagesTaken !== seen.messagesTaken) throw new ChangedMeanwhile('another account brought a message of it meanwhile');
}

/** Stores one signed send. `isAtOnce`: with the note that a node may have it. */
async function storeOne(
  tx: Writer,
  { send, attempt, nonce, messageNonce }: Signed,
  isAtOnce: boolean,
  now: number,
): Promise<Ready> {
  await tx.sendAttempts.insert(attempt);
  const event = isAtOnce ? 'signed for immediate broadcast' : 'signed';
  const dueAt = isAtOnce ? firstLookAt(send, now) : now;
  const allocated = await transition(tx, send, event, { dueAt, nonce, messageNonce, hash: attempt.hash }, now);
  return { send: allocated, attempt, isNew: true, isNoted: isAtOnce };
}

/** How long a small batch may wait to share another commit. */
const PATIENCE_MS = 2;

async function storeAll({ claimed, clock, gas }: Storing, batch: Batch, isAtOnce: boolean): Promise<Ready[]> {
  const { signed, plans, next, seen, left } = batch;
  const store = async (tx: Writer, row: SendAccount) => {
    requireUnchanged(row, seen);
    const now = clock.now();
    const stored: Ready[] = [];
    const failed: EvmRow[] = [];
    const taking: Signed[] = [];
    for (const one of signed) {
      const duplicate = await whyDuplicate(tx, one.send, one.attempt.hash);
      if (duplicate !== undefined) {
        failed.push(await fail(tx, one.send, 'cannot be signed', duplicate, row, now));
        continue;
      }
      taking.push(one);
      stored.push(await storeOne(tx, one, isAtOnce, now));
    }
    for (const plan of plans)
      if (plan.is === 'wait') await transition(tx, plan.send, 'postponed', { dueAt: now + Math.ceil(plan.ms) }, now);
      else if (plan.is === 'fail') failed.push(await fail(tx, plan.send, 'cannot be signed', plan.error, row, now));
    for (const one of taking) await takeMessage(tx, one, row);
    if (row.nextNonce !== next) await tx.sendAccounts.change(row, { nextNonce: next });
    for (const send of failed) await gas.release(tx, send);
    return stored;
  };
  return claimed.transaction(store, left ? 0 : PATIENCE_MS);
}

type Storing = Pick<Owner, 'claimed' | 'clock'> & Pick<Costs, 'gas'>;

/**
 * Stores the signed, failed and postponed sends together with the nonces taken: all or nothing. `isAtOnce`: also notes that nodes may
 * have them. Empty if something changed meanwhile: then the batch is signed anew, and the signed bytes are forgotten.
 */
export async function storeSigned(storing: Storing, batch: Batch, isAtOnce: boolean): Promise<Ready[]> {
  const store = () => failPointsAround('store-signature', () => storeAll(storing, batch, isAtOnce));
  return (await unlessChanged(isAtOnce ? failPointsAround('note-sent', store) : store())) ?? [];
}
