import { z } from 'zod';
import { plainFailure } from '../../chain-io/sends/error.ts';
import { replacementViews } from '../../chain-io/sends/evm/replacement-view.ts';
import { SEND_ROOTS } from '../../chain-io/sends/evm/view.ts';
import { releaseGas } from '../../chain-io/sends/gas/reserve.ts';
import { evmIntentOf, openSend, requireWritten, resolveSend, unfit } from '../../domain/sends/send-wishes.ts';
import { endQueuedSend, wishForSend } from '../../domain/sends/sends.ts';
import { taken } from '../../domain/transfers/taken.ts';
import { activity, STRING } from '../../engine/activity/declare.ts';
import { v1 } from '../../engine/activity/versions.ts';
import { Id, IdOut } from '../../wire/common.ts';
import { Reason } from '../../wire/sends.ts';

/** The public interface cannot cancel. */
export const countersignCancelSend = activity({
  kind: 'COUNTERSIGN_CANCEL_SEND',
  resource: 'PRIVATE_KEY',
  action: 'SIGN',
  summary: 'Cancel a send that is not mined: a transaction that may be broadcast is replaced by one that does nothing',
  params: v1(z.object({ sendTransactionStatusId: Id, reason: Reason })),
  policyParams: {
    send_transaction_status_id: [STRING, ({ sendTransactionStatusId }) => sendTransactionStatusId],
    reason: [STRING, ({ reason }) => reason],
  },
  policyRoots: SEND_ROOTS,
  resolve: ({ ctx, intent: { sendTransactionStatusId } }) => resolveSend(ctx, sendTransactionStatusId),
  // The send itself was counted when it was accepted, and fees are not counted.
  takes: ({ ctx, subject }) => taken(ctx, subject?.signer),
  policyView: ({ ctx, subject }) => replacementViews(ctx, subject, { what: 'cancel', fees: undefined }),
  result: { key: 'countersignCancelSendResult', shape: z.object({ sendTransactionStatusId: IdOut }) },
  errors: [openSend],
  async execute({ ctx, intent: { sendTransactionStatusId: id, reason }, subject }) {
    const send = await openSend(ctx, id, 'cancel');
    const wish = { what: 'cancel' as const, activityId: ctx.activityId, reason };
    // If an earlier transaction had the message and was broadcast, that transaction must be voided first.
    if (send.state === 'queued' && send.messageNonce === null) {
      const error = plainFailure(`cancelled by activity ${wish.activityId} before it was signed: ${reason}`);
      requireWritten(await endQueuedSend(ctx.store, send, { error, wish }, ctx.now));
      if (send.sponsored) await releaseGas(ctx.store, send);
      return { sendTransactionStatusId: id };
    }
    if (send.kind === 'solana')
      throw unfit('cancel', 'it is signed, and Solana has no replacement: it is mined, or its blockhash expires');
    if (evmIntentOf(send)?.form === 'raw' && subject?.signer === undefined)
      throw unfit('cancel', 'it was submitted signed, and the key of its account is not in this organization');
    requireWritten(await wishForSend(ctx.store, send, wish, ctx.now));
    return { sendTransactionStatusId: id };
  },
});
