import { z } from 'zod';
import { cancelSend } from '../../chain-io/sends/cancel.ts';
import { replacementViews } from '../../chain-io/sends/evm/replacement-view.ts';
import { SEND_ROOTS } from '../../chain-io/sends/evm/view.ts';
import { resolveSend } from '../../domain/sends/send-wishes.ts';
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
  // No limit may stop it. The send itself was counted when it was accepted.
  takes: ({ ctx, subject }) => taken(ctx, subject?.signer),
  policyView: ({ ctx, subject }) => replacementViews(ctx, subject, { what: 'cancel', fees: undefined }),
  result: { key: 'countersignCancelSendResult', shape: z.object({ sendTransactionStatusId: IdOut }) },
  errors: [cancelSend],
  async execute({ ctx, intent: { sendTransactionStatusId: id, reason }, subject }) {
    await cancelSend(ctx, { id, activityId: ctx.activityId, reason, signer: subject?.signer });
    return { sendTransactionStatusId: id };
  },
});
