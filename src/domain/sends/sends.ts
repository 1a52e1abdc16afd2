import { type EvmIntent, NEVER, type Send } from '../../model/send.ts';
import type { Writer } from '../../store/types.ts';
import { changeSend, type SendWriter } from './send-events.ts';

/** The facts about a send that its activity has. */
export type NewSend = Pick<
  Send,
  'organizationId' | 'id' | 'activityId' | 'payerId' | 'caip2' | 'kind' | 'account' | 'fromAddress' | 'sponsored' | 'intent'
>;

/** Messages of an account, except those whose caller gave a nonce. */
function isOrdered({ kind, intent }: NewSend): boolean {
  const { form, nonce, gasStationNonce } = intent as EvmIntent;
  return kind === 'evm' && (form === 'batch' || form === 'sponsored') && nonce === null && gasStationNonce === null;
}

/** Accepts a send, in `execute`: it is stored with the activity, and its account's owner begins after the commit. */
export async function acceptSend(tx: Pick<Writer, 'sends' | 'sendAccounts'>, send: NewSend, now: number): Promise<Send> {
  const accepted: Send = {
    ...send,
    state: 'queued',
    nonce: null,
    messageNonce: null,
    ordered: isOrdered(send),
    hash: '',
    blockNumber: null,
    blockHash: '',
    error: null,
    wish: null,
    spent: '0',
    createdAt: now,
    updatedAt: now,
    dueAt: now,
    version: 1,
  };
  await tx.sends.insert(accepted);
  await tx.sendAccounts.makeDue(send, now, send.sponsored ? 'now' : 'in the end');
  return accepted;
}

/** Writes an activity's wish for a pending send. False if the send changed since it was read: read it again. */
export async function wishForSend(
  tx: Pick<Writer, 'sends' | 'sendAccounts'>,
  seen: Send,
  wish: NonNullable<Send['wish']>,
  now: number,
): Promise<boolean> {
  const written = await tx.sends.change(seen, { wish, dueAt: Math.min(now, seen.dueAt) }, now);
  if (written) await tx.sendAccounts.makeDue(seen, now);
  return written;
}

/** Ends a send that has no signed transaction. False if the send changed since it was read. */
export async function endQueuedSend(
  tx: SendWriter,
  seen: Send,
  { error, wish }: Pick<Send, 'error' | 'wish'>,
  now: number,
): Promise<boolean> {
  if (seen.state !== 'queued') return false;
  return changeSend(tx, seen, { state: 'failed', error, wish, dueAt: NEVER }, now);
}
