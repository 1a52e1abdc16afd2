import { evmTransfers } from '../../chains/ethereum/read-transfers.ts';
import { parseCaip2 } from '../../model/caip2.ts';
import type { EvmIntent, Send } from '../../model/send.ts';
import type { EntryState } from '../../model/velocity-control.ts';
import type { Writer } from '../../store/types.ts';
import { addedBy } from './added.ts';
import { termsOf } from './terms.ts';

type Tx = Pick<Writer, 'velocityControls' | 'velocityCounters' | 'instance' | 'sendAttempts'>;

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

/** What the paid fee is in each control that counted one for a send. A deleted control gives nothing back. */
async function paidIn(tx: Tx, { organizationId, activityId, caip2, account }: Send, wei: bigint): Promise<Map<string, bigint>> {
  const network = parseCaip2(caip2);
  const paid = new Map<string, bigint>();
  if (network?.kind !== 'eip155') return paid;
  const reading = evmTransfers({ chainId: network.chainId, from: account, calls: [], fee: wei });
  for (const { controlId, fee } of await tx.velocityCounters.open(organizationId, activityId)) {
    const control = fee === '0' ? undefined : await tx.velocityControls.get(organizationId, controlId);
    if (control !== undefined)
      paid.set(
        controlId,
        addedBy(
          reading,
          termsOf(control, () => undefined),
        ).fee ?? 0n,
      );
  }
  return paid;
}

/**
 * The certain facts about a send that ends. `isGone`: no transaction or message of it can take anything, now or later. `paid`: all that its
 * account paid for it, in wei.
 */
export type Certain = { readonly isGone?: boolean | undefined; readonly paid?: bigint | undefined };

/** Settles what a send counted. What can never land is given back, and so is the unused part of a fee. Whatever is unknown counts. */
export async function settleVelocity(tx: Tx, before: Send, send: Send, { isGone, paid: wei }: Certain = {}): Promise<void> {
  if (send.intent.reserves === undefined || before.state === send.state) return;
  const { velocityCounters, instance } = tx;
  const to = entriesAfter(before, send, isGone ?? (send.state === 'failed' && (await isNeverOut(tx, before))));
  if (to === undefined) return;
  const mayGiveBack = to === 'released' || wei !== undefined;
  const isCopied = mayGiveBack && (await isOlderThanCopy(instance, send));
  if (to === 'released' && isCopied) return;
  // What was signed may have cost a fee, also with another nonce, or for the transaction that cancels it.
  const keepsFee = before.state !== 'queued' || before.spent !== '0';
  const paid = wei === undefined || isCopied ? undefined : await paidIn(tx, send, wei);
  await velocityCounters.settle(send.organizationId, send.activityId, to, { keepsFee, paid });
}
