import { failPoint } from '../../../../base/fail-point.ts';
import type { SendAccount, SendAttempt } from '../../../../model/send.ts';
import type { Writer } from '../../../../store/types.ts';
import { plainFailure, type SendError } from '../../error.ts';
import { sendOfSameTransaction } from '../../same-transaction.ts';
import { feesOf } from '../fees.ts';
import type { EvmReady } from '../read.ts';
import { type EvmSigned, type EvmTools, signEvm, signVoid } from '../sign.ts';
import { firstLookAt } from './broadcast.ts';
import { noncesKnown } from './known.ts';
import { nextNonces } from './nonces.ts';
import { type Authority, isSending, isVoiding, type Plan, plansOf, rawInBlock, troubled, WAIT_MS } from './planning.ts';
import { authorityOf, evmRow, fail, hasMessage, rowOf } from './rows.ts';
import { ChangedMeanwhile, transition, unlessChanged } from './states.ts';
import { isInDoubt } from './trust.ts';
import { BATCH, breath, type EvmRow, type Ready, type Work } from './work.ts';

/** How many nonces of its account the send uses: an authorization of the sending account takes the next one. */
const noncesOf = ({ intent }: EvmRow, { delegated }: EvmReady): number =>
  intent.form === 'undelegate' || (intent.form === 'batch' && !delegated) ? 2 : 1;

type ToSign = Extract<Plan, { is: 'sign' }>;

type Signed = Pick<Ready, 'send' | 'attempt'> & {
  nonce: number;
  messageNonce: number | null;
  uses: number;
  authorizes: boolean;
  authority: Authority | undefined;
};

/** The accounts of which this batch signs a message. */
type Messages = Set<string>;

/**
 * The next nonce of the account's messages. Undefined: wait. One message of an account is under way at a time. If that message is
 * cancelled, or reverts, its nonce is not used, and messages signed behind it could only revert.
 */
function messageNonceFor({ fromAddress, intent }: EvmRow, reading: EvmReady, messages: Messages): number | undefined {
  if (messages.has(fromAddress)) return undefined;
  messages.add(fromAddress);
  const next = Number(reading.messageNonce);
  // A given nonce waits until earlier messages have used those before it.
  return intent.gasStationNonce === null || Number(intent.gasStationNonce) === next ? next : undefined;
}

const toolsOf = ({ vault, paymaster }: Work, { signer }: ToSign): EvmTools => ({ vault, signer, paymaster });

function attemptOf(work: Work, send: EvmRow, signed: EvmSigned, nonce: number, number: number): SendAttempt {
  const { organizationId, id: sendId, intent } = send;
  return {
    organizationId,
    sendId,
    number,
    purpose: isVoiding(send) ? 'cancel' : 'send',
    nonce,
    signed: Buffer.from(signed.signed),
    hash: signed.hash,
    fees: intent.fees,
    // True as soon as its send is noted as sent.
    mayBeSent: true,
    said: '',
    lastValidBlockHeight: null,
    createdAt: work.clock.now(),
  };
}

/** `plans`: of the sends that are not signed. `next`: the first nonce that is free afterwards. `isFull`: others must be in blocks first. */
type SignedBatch = { signed: Signed[]; plans: Plan[]; next: number; isFull: boolean };

/** `seen`: the account at the time the nonces were assigned. `left`: there may be more. */
export type Batch = SignedBatch & { seen: SendAccount; left: boolean };

/** Signs a batch, in order, and writes nothing. */
async function signAll(work: Work, plans: readonly Plan[], row: SendAccount): Promise<SignedBatch> {
  const nonces = await nextNonces({ ...work, nonces: () => noncesKnown(work, row) }, row);
  const messages: Messages = new Set();
  const signed: Signed[] = [];
  const others: Plan[] = [];
  for (const plan of plans) {
    if (plan.is !== 'sign') {
      others.push(plan);
      continue;
    }
    // It stays queued until some of the sends already broadcast are in blocks.
    if (nonces.isFull()) continue;
    const { send, reading } = plan;
    const messageNonce = hasMessage(send) ? messageNonceFor(send, reading, messages) : null;
    if (messageNonce === undefined) {
      others.push({ is: 'wait', send, ms: WAIT_MS });
      continue;
    }
    const before = nonces.next();
    const uses = noncesOf(send, reading);
    let taken = nonces.take(send, uses);
    if ('error' in taken && send.intent.form === 'raw') {
      const landed = await rawInBlock(work, send).catch((error) => troubled(work, send, error));
      if (landed === 'unsure' || typeof landed === 'object') {
        others.push(landed === 'unsure' ? { is: 'wait', send, ms: WAIT_MS } : landed);
        continue;
      }
      if (landed === 'yes') taken = nonces.take(send, uses, true);
    }
    if ('error' in taken) {
      others.push({ is: 'fail', send, error: taken.error });
      continue;
    }
    const { nonce } = taken;
    await breath();
    await failPoint('before sign');
    let bytes: EvmSigned;
    try {
      bytes = (isVoiding(send) ? signVoid : signEvm)(toolsOf(work, plan), send, {
        nonce: BigInt(nonce),
        fees: feesOf(send.intent.fees),
        reading,
        messageNonce: messageNonce === null ? null : BigInt(messageNonce),
        now: work.clock.now(),
      });
    } catch (error) {
      nonces.back(before);
      others.push(troubled(work, send, error));
      continue;
    }
    await failPoint('after sign');
    const number = (await numberOf(work, send)) + 1;
    const attempt = attemptOf(work, send, bytes, nonce, number);
    signed.push({
      send,
      attempt,
      nonce,
      messageNonce,
      uses,
      authorizes: reading.authorityNonce !== null,
      authority: plan.authority,
    });
  }
  return { signed, plans: others, next: nonces.next(), isFull: nonces.isFull() };
}

/** Only a send that had another nonce before has attempts. */
async function numberOf({ read }: Work, { organizationId, id, version }: EvmRow): Promise<number> {
  return version === 1 ? 0 : ((await read.sendAttempts.ofSend(organizationId, id)).at(-1)?.number ?? 0);
}

/**
 * One lane at a time brings an account's messages. It brings the account's authorization only while none of the account's own
 * transactions is broadcast.
 */
async function takeMessage(tx: Parameters<typeof authorityOf>[0], one: Signed, row: SendAccount): Promise<void> {
  const { send, messageNonce, authorizes } = one;
  if (messageNonce === null) return;
  const authority = await authorityOf(tx, send, row);
  const { messages, messagesTaken, nextNonce } = authority;
  // The chain's answer may predate other messages of ours, which may be in blocks already.
  if (messages > 0 || messagesTaken !== one.authority?.messagesTaken)
    throw new ChangedMeanwhile('other messages of the account were signed meanwhile');
  if (authorizes && nextNonce !== one.authority.nextNonce) throw new ChangedMeanwhile('the account sent meanwhile');
  if (authorizes && (await isSending(tx, send))) throw new ChangedMeanwhile('transactions of the account are on their way');
  const taken = { messageLane: send.account, messages: messages + 1, messagesTaken: messagesTaken + 1 };
  await tx.sendAccounts.change(authority, taken);
  if (authority.account === row.account) Object.assign(row, taken);
}

/**
 * Why a send with a given nonce is not sent: another send is the very same transaction, which happens once. A transaction that
 * arrived signed is followed all the same: its caller asks for that one transaction.
 */
async function sameAs(tx: Writer, send: EvmRow, hash: string): Promise<SendError | undefined> {
  const { form, nonce } = send.intent;
  if (nonce === null || form === 'sponsored' || form === 'raw' || isVoiding(send)) return undefined;
  const twin = await sendOfSameTransaction(tx, send, hash);
  if (twin === undefined) return undefined;
  return plainFailure(`this very transaction is sent already, as ${twin}: give it another nonce, or none`);
}

/** How long a small batch may wait to share another commit. */
const PATIENCE_MS = 2;

/** Stores the signed, failed and waiting sends together with the nonces taken: all or nothing. */
async function store(work: Work, { signed, plans, next, seen, left }: Batch, isAtOnce: boolean): Promise<Ready[]> {
  const { claimed, clock } = work;
  await failPoint('before store-signature');
  if (isAtOnce) await failPoint('before note-sent');
  const ready = await claimed.transaction(
    async (tx, row) => {
      if (row.nextNonce !== seen.nextNonce) throw new ChangedMeanwhile('the nonces of the account were taken otherwise');
      if (row.messages > 0 && row.messageLane !== row.account) throw new ChangedMeanwhile('another account brings its messages');
      if (row.messagesTaken !== seen.messagesTaken)
        throw new ChangedMeanwhile('another account brought a message of it meanwhile');
      const now = clock.now();
      const stored: Ready[] = [];
      const failed: EvmRow[] = [];
      const alone: Signed[] = [];
      for (const one of signed) {
        const { send, attempt, nonce, messageNonce } = one;
        const { hash } = attempt;
        const same = await sameAs(tx, send, hash);
        if (same !== undefined) {
          failed.push(await fail(tx, send, 'cannot be signed', same, row, now));
          continue;
        }
        alone.push(one);
        await tx.sendAttempts.insert(attempt);
        const event = isAtOnce ? 'signed for immediate broadcast' : 'signed';
        const dueAt = isAtOnce ? firstLookAt(send, now) : now;
        const allocated = await transition(tx, send, event, { dueAt, nonce, messageNonce, hash }, now);
        stored.push({ send: allocated, attempt, isNew: true, isNoted: isAtOnce });
      }
      for (const plan of plans)
        if (plan.is === 'wait') await transition(tx, plan.send, 'postponed', { dueAt: now + Math.ceil(plan.ms) }, now);
        else if (plan.is === 'fail') failed.push(await fail(tx, plan.send, 'cannot be signed', plan.error, row, now));
      for (const one of alone) await takeMessage(tx, one, row);
      if (row.nextNonce !== next) await tx.sendAccounts.change(row, { nextNonce: next });
      for (const send of failed) await work.gas.release(tx, send);
      return stored;
    },
    left ? 0 : PATIENCE_MS,
  );
  await failPoint('after store-signature');
  if (isAtOnce) await failPoint('after note-sent');
  return ready;
}

/**
 * Asks the chain again: its earlier answer predates an authorization that another account brought. That authorization used a nonce
 * of this account.
 */
async function hearOfMessages({ memory, nonces }: Work, { messagesTaken }: SendAccount): Promise<void> {
  if (memory.messagesTaken === messagesTaken) return;
  await nonces(true);
  memory.messagesTaken = messagesTaken;
}

/** The next queued sends, signed with their nonces. Undefined: there is nothing to do. */
export async function prepare(work: Work): Promise<Batch | undefined> {
  const { read, key, clock } = work;
  const queued = (await read.sendsOfAccount.due(key, 'queued', clock.now(), BATCH)).map(evmRow);
  if (queued.length === 0) return undefined;
  const row = await rowOf(work);
  // Those messages' authorization has the nonce that this account would use.
  if (row.messages > 0 && row.messageLane !== row.account) return undefined;
  await hearOfMessages(work, row);
  if (await isInDoubt(work, row)) return undefined;
  await failPoint('before allocate');
  const plans = await plansOf(work, queued, row);
  const signed = await signAll(work, plans, row);
  await failPoint('after allocate');
  return { ...signed, seen: row, left: queued.length === BATCH };
}

/**
 * Stores a batch. `isAtOnce`: also notes that it may have been broadcast. Empty if something changed meanwhile: then the batch is
 * prepared anew.
 */
export async function storeBatch(work: Work, batch: Batch, isAtOnce: boolean): Promise<Ready[]> {
  return (await unlessChanged(store(work, batch, isAtOnce))) ?? [];
}
