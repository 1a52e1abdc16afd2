import { setImmediate } from 'node:timers/promises';
import { failPoint, failPointsAround } from '../../../../../base/fail-point.ts';
import { readSignedTransaction } from '../../../../../chains/ethereum/signed-transaction.ts';
import { hasMessage, type SendAccount, type SendAttempt } from '../../../../../model/send.ts';
import { feesOf } from '../../fees.ts';
import type { EvmReady } from '../../read.ts';
import { type EvmSigned, signEvm, signVoid } from '../../sign.ts';
import { type Assignment, assignNonces } from '../nonces/assign.ts';
import { allAfterAuthorizations } from '../nonces/authorized.ts';
import type { RecentNonces } from '../nonces/recent.ts';
import { BATCH, type EvmRow, type Keys, type OnChain, type Owner, type Rows } from '../parts.ts';
import { evmRow, isCancelled, rowOf } from '../rows.ts';
import { type Plan, type Planning, plansOf, WAIT_MS, waitAfterError } from './plan.ts';
import type { Batch, Signed } from './store-signed.ts';

type ToSign = Extract<Plan, { is: 'sign' }>;
type Signer = Planning & Keys;

/** How long after its nonce was used a receipt may come: if every endpoint answers, and if only some do. */
const RECEIPT_MS = { all: 5_000, some: 600_000 };

/** Whether a raw transaction itself used its nonce: its signer may have sent it too. */
async function rawInBlock(
  { node, clock }: Pick<OnChain, 'node'> & Pick<Rows, 'clock'>,
  { intent, createdAt }: EvmRow,
): Promise<'yes' | 'no' | 'unsure'> {
  const { hash } = readSignedTransaction(Buffer.from(intent.signed!.slice(2), 'hex'));
  const { value, answered, endpoints } = await node.receipt(hash as `0x${string}`);
  if (value !== undefined) return 'yes';
  return clock.now() - createdAt < (answered === endpoints ? RECEIPT_MS.all : RECEIPT_MS.some) ? 'unsure' : 'no';
}

/** How many nonces of its account the send uses: an authorization of the sending account takes the next one. */
const usesOf = ({ intent }: EvmRow, { delegated }: EvmReady): number =>
  intent.form === 'undelegate' || (intent.form === 'batch' && !delegated) ? 2 : 1;

/** Takes the nonces of a send; or the plan of a send whose given nonce cannot be taken. */
async function takeNonce(signer: Signer, assignment: Assignment, { send, reading }: ToSign): Promise<{ nonce: number } | Plan> {
  const uses = usesOf(send, reading);
  let taken = assignment.take(send, uses);
  if ('error' in taken && send.intent.form === 'raw') {
    const landed = await rawInBlock(signer, send).catch((error) => waitAfterError(signer, send, error));
    if (typeof landed === 'object') return landed;
    if (landed === 'unsure') return { is: 'wait', send, ms: WAIT_MS };
    if (landed === 'yes') taken = assignment.take(send, uses, true);
  }
  return 'error' in taken ? { is: 'fail', send, error: taken.error } : taken;
}

/** The accounts of which this batch signs a message. */
type Messages = Set<string>;

/**
 * The next nonce of the account's messages. Undefined: wait. One message of an account is pending at a time. If that message is
 * cancelled, or reverts, its nonce is not used, and messages signed behind it could only revert.
 */
function messageNonceFor({ fromAddress, intent }: EvmRow, reading: EvmReady, messages: Messages): number | undefined {
  if (messages.has(fromAddress)) return undefined;
  messages.add(fromAddress);
  const next = Number(reading.messageNonce);
  // A given nonce waits until earlier messages have used those before it.
  return intent.gasStationNonce === null || Number(intent.gasStationNonce) === next ? next : undefined;
}

/** Only a send that had another nonce before has attempts. */
async function attemptsBefore({ read }: Pick<Rows, 'read'>, { organizationId, id, version }: EvmRow): Promise<number> {
  return version === 1 ? 0 : ((await read.sendAttempts.ofSend(organizationId, id)).at(-1)?.number ?? 0);
}

const attemptOf = (send: EvmRow, signed: EvmSigned, nonce: number, number: number, createdAt: number): SendAttempt => ({
  organizationId: send.organizationId,
  sendId: send.id,
  number,
  purpose: isCancelled(send) ? 'cancel' : 'send',
  nonce,
  signed: Buffer.from(signed.signed),
  hash: signed.hash,
  fees: send.intent.fees,
  // True as soon as its send is noted as sent.
  mayBeSent: true,
  said: '',
  lastValidBlockHeight: null,
  createdAt,
});

/** Signs a send with the next nonce. Undefined: it stays queued until some of the sends already broadcast are in blocks. */
async function signOne(
  signer: Signer,
  assignment: Assignment,
  messages: Messages,
  plan: ToSign,
): Promise<Signed | Plan | undefined> {
  if (assignment.isFull()) return undefined;
  const { vault, paymaster, clock } = signer;
  const { send, reading } = plan;
  const messageNonce = hasMessage(send) ? messageNonceFor(send, reading, messages) : null;
  if (messageNonce === undefined) return { is: 'wait', send, ms: WAIT_MS };
  const before = assignment.next();
  const taken = await takeNonce(signer, assignment, plan);
  if ('is' in taken) return taken;
  const { nonce } = taken;
  // Others have their turn between two signatures.
  await setImmediate();
  await failPoint('before sign');
  let signed: EvmSigned;
  try {
    signed = (isCancelled(send) ? signVoid : signEvm)({ vault, paymaster, signer: plan.signer }, send, {
      nonce: BigInt(nonce),
      fees: feesOf(send.intent.fees),
      reading,
      messageNonce: messageNonce === null ? null : BigInt(messageNonce),
      now: clock.now(),
    });
  } catch (error) {
    assignment.back(before);
    return waitAfterError(signer, send, error);
  }
  await failPoint('after sign');
  const attempt = attemptOf(send, signed, nonce, (await attemptsBefore(signer, send)) + 1, clock.now());
  return { send, attempt, nonce, messageNonce, authorizes: reading.authorityNonce !== null, authority: plan.authority };
}

/** Signs a batch, in order, and writes nothing. */
async function signAll(signer: Signer, plans: readonly Plan[], assignment: Assignment): Promise<Omit<Batch, 'seen' | 'left'>> {
  const messages: Messages = new Set();
  const signed: Signed[] = [];
  const others: Plan[] = [];
  for (const plan of plans) {
    const made = plan.is === 'sign' ? await signOne(signer, assignment, messages, plan) : plan;
    if (made === undefined) continue;
    if ('is' in made) others.push(made);
    else signed.push(made);
  }
  return { signed, plans: others, next: assignment.next(), isFull: assignment.isFull() };
}

/** Stores why nothing can be signed now, or that signing continues. Only the change is stored: the text may change all the time. */
async function noteDoubt({ claimed }: Pick<Owner, 'claimed'>, { waitsFor }: SendAccount, doubt = ''): Promise<void> {
  if ((doubt === '') !== (waitsFor === ''))
    await claimed.transaction((tx, row) => tx.sendAccounts.change(row, { waitsFor: doubt }));
}

/** The next queued sends, signed with their nonces. Nothing is stored. Undefined: there is nothing to do. */
export async function signQueued(signer: Signer, nonces: RecentNonces): Promise<Batch | undefined> {
  const { read, key, clock } = signer;
  const queued = (await read.sendsOfAccount.due(key, 'queued', clock.now(), BATCH)).map(evmRow);
  if (queued.length === 0) return undefined;
  const row = await rowOf(signer);
  // Those messages' authorization has the nonce that this account would use.
  if (row.messages > 0 && row.messageLane !== row.account) return undefined;
  await nonces.refreshAfterMessages(row.messagesTaken);
  const { doubt } = await nonces.recent();
  await noteDoubt(signer, row, doubt);
  if (doubt !== undefined) return undefined;
  return failPointsAround('allocate', async () => {
    const plans = await plansOf(signer, queued, row, (await nonces.recent()).latest);
    const said = await allAfterAuthorizations(signer, row, await nonces.recent());
    const batch = await signAll(signer, plans, await assignNonces(signer, row, said));
    return { ...batch, seen: row, left: queued.length === BATCH };
  });
}
