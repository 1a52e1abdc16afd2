import { hash } from 'node:crypto';
import { uuidOf } from '../../base/ids.ts';
import { type Send, type SendChange, statusOfSend } from '../../model/send.ts';
import { listens } from '../../model/webhook.ts';
import type { NewWebhookEvent } from '../../model/webhook-event.ts';
import type { Writer } from '../../store/types.ts';
import { viewSendStatus } from '../../wire/sends.ts';
import { type Certain, settleVelocity } from '../velocity/settle.ts';
import { listenersOf } from '../webhooks/listeners.ts';

const EVENT = 'SEND_TRANSACTION_STATUS_UPDATES';
const TYPE = 'transaction:status';

export type SendWriter = Pick<
  Writer,
  'sends' | 'sendAttempts' | 'organizations' | 'webhookEvents' | 'velocityControls' | 'velocityCounters' | 'instance'
>;

/** Whether it has another status than before. In a block, also whether its transaction, the block or the outcome is another. */
function isNews(before: Send, send: Send): boolean {
  const status = statusOfSend(send);
  // A send without a transaction is as it was accepted.
  if (status !== statusOfSend(before)) return status !== 'INITIALIZED';
  const isSame = (['hash', 'blockHash', 'blockNumber'] as const).every((name) => before[name] === send[name]);
  // Logs may be added to an error later.
  return status === 'INCLUDED' && !(isSame && (before.error === null) === (send.error === null));
}

/** The event of a send that has news. A transaction that is included again, in another block or with another outcome, has another key. */
function eventOf(send: Send, now: number): NewWebhookEvent {
  const { organizationId, id, activityId, payerId, caip2, blockHash, blockNumber } = send;
  const { txStatus, eth, solana, error } = viewSendStatus(send);
  const txHash = txStatus === 'INCLUDED' ? (eth?.txHash ?? solana?.signature) : undefined;
  const block = txHash === undefined ? '' : blockHash || blockNumber;
  const reverted = txHash === undefined || error === undefined ? [] : ['reverted'];
  const named = [TYPE, organizationId, id, txHash ?? '', block, txStatus, ...reverted];
  const idempotencyKey = hash('sha256', JSON.stringify(named), 'hex');
  const msg = {
    sendTransactionStatusId: id,
    activityId,
    status: txStatus,
    caip2,
    idempotencyKey,
    timestamp: Math.floor(now / 1000),
    ...(txHash === undefined ? {} : { txHash }),
    ...(error === undefined ? {} : { error }),
  };
  return {
    organizationId,
    id: uuidOf(now, hash('sha256', `${idempotencyKey} ${send.version}`, 'hex')),
    parentId: payerId === organizationId ? null : payerId,
    eventType: EVENT,
    subject: id,
    filters: {},
    body: Buffer.from(JSON.stringify({ type: TYPE, organizationId, parentOrganizationId: payerId, msg })),
    createdAt: now,
  };
}

/**
 * Changes a send. If that is news, and endpoints of the top-level organization listen, an event is recorded in this transaction. False if
 * the send changed since it was read: then nothing is written. Velocity controls are settled too.
 */
export async function changeSend(
  tx: SendWriter,
  before: Send,
  change: SendChange,
  now: number,
  certain?: Certain,
): Promise<boolean> {
  if (!(await tx.sends.change(before, change, now))) return false;
  const send = { ...before, ...change, updatedAt: now, version: before.version + 1 };
  await settleVelocity(tx, before, send, certain);
  if (!isNews(before, send)) return true;
  if (listens(await listenersOf(tx, send.payerId), EVENT)) await tx.webhookEvents.insert(eventOf(send, now));
  return true;
}
