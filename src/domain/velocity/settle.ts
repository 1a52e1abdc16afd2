import type { EvmIntent, Send } from '../../model/send.ts';
import type { EntryState } from '../../model/velocity-control.ts';
import type { Writer } from '../../store/types.ts';

type Tx = Pick<Writer, 'velocityCounters' | 'instance' | 'sendAttempts'>;

/**
 * A send that was never signed takes nothing. A transaction that arrived signed is in other hands. So may be what was signed with a
 * nonce that the send has lost: one endpoint may have lied about that.
 */
async function isNeverOut({ sendAttempts }: Tx, send: Send): Promise<boolean> {
  const { state, messageNonce, intent } = send;
  if (state !== 'queued' || messageNonce !== null || (intent as EvmIntent).form === 'raw') return false;
  return (await sendAttempts.ofSend(send.organizationId, send.id)).length === 0;
}

/** The state of a send's entries after a change of it. Undefined: as before. */
function entriesAfter(before: Send, send: Send, isGone: boolean): EntryState | undefined {
  switch (send.state) {
    case 'included':
      return send.error === null ? 'mined' : 'reserved';
    case 'final':
      if (send.error === null) return 'spent';
      return isGone ? 'released' : 'reserved';
    case 'failed':
      return isGone ? 'released' : undefined;
    default:
      return before.state === 'included' ? 'reserved' : undefined;
  }
}

/** The original of a copied database may have sent it otherwise. */
async function isOlderThanCopy(instance: Writer['instance'], { createdAt }: Send): Promise<boolean> {
  const found = await instance.quarantine();
  return found !== undefined && createdAt < (found.sendsBefore ?? Number.POSITIVE_INFINITY);
}

/** Settles what a send counted. Only what can never land is given back: whatever is unknown counts. */
export async function settleVelocity(tx: Tx, before: Send, send: Send, isGone?: boolean): Promise<void> {
  if (send.intent.reserves === undefined || before.state === send.state) return;
  const { velocityCounters, instance } = tx;
  const to = entriesAfter(before, send, isGone ?? (send.state === 'failed' && (await isNeverOut(tx, before))));
  if (to === undefined) return;
  if (to === 'released' && (await isOlderThanCopy(instance, send))) return;
  // What was signed may have cost a fee, also with another nonce, or for the transaction that cancels it.
  const keepsFee = before.state !== 'queued' || before.spent !== '0';
  await velocityCounters.settle(send.organizationId, send.activityId, to, keepsFee);
}
