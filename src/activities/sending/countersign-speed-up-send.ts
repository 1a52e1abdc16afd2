import { z } from 'zod';
import { Busy, invalid } from '../../base/errors.ts';
import { dearest, feesOf, mostCost, priceOf } from '../../chain-io/sends/evm/fees.ts';
import { replacementViews } from '../../chain-io/sends/evm/replacement-view.ts';
import { speedUpSpending } from '../../chain-io/sends/evm/spending.ts';
import { SEND_ROOTS } from '../../chain-io/sends/evm/view.ts';
import { raiseGas } from '../../chain-io/sends/gas/reserve.ts';
import { NOTHING } from '../../chains/shared/transfers.ts';
import { frozenKey } from '../../domain/keys/frozen.ts';
import { raisedFees } from '../../domain/sends/send-fees.ts';
import { evmIntentOf, openSend, requireWritten, resolveSend, unfit } from '../../domain/sends/send-wishes.ts';
import { wishForSend } from '../../domain/sends/sends.ts';
import { TRANSFERS_BY_KIND } from '../../domain/transfers/kinds.ts';
import { taken } from '../../domain/transfers/taken.ts';
import { activity, STRING } from '../../engine/activity/declare.ts';
import { v1 } from '../../engine/activity/versions.ts';
import type { EvmIntent, Send, StoredFees } from '../../model/send.ts';
import type { Reader } from '../../store/types.ts';
import { Id, IdOut } from '../../wire/common.ts';
import { Reason, WeiPerGas } from '../../wire/sends.ts';

const Params = z.object({
  sendTransactionStatusId: Id,
  reason: Reason,
  maxFeePerGas: WeiPerGas.optional(),
  maxPriorityFeePerGas: WeiPerGas.optional(),
});

type Intent = z.output<typeof Params>;

const givesFees = ({ maxFeePerGas, maxPriorityFeePerGas }: Intent) => (maxFeePerGas ?? maxPriorityFeePerGas) !== undefined;

/** The fees of the most expensive of its transactions. */
async function lastFees(read: Reader, send: Send, intent: EvmIntent): Promise<StoredFees> {
  const attempts = await read.sendAttempts.ofSend(send.organizationId, send.id);
  const own = attempts.filter(({ purpose, nonce }) => purpose === 'send' && nonce === send.nonce);
  return dearest(own)?.fees ?? intent.fees;
}

/** The fees that its replacement may pay. Undefined: the network's current price, within the operator's limits. */
async function wantedFees(read: Reader, send: Send, intent: EvmIntent, given: Intent): Promise<StoredFees | undefined> {
  if (givesFees(given)) return raisedFees(await lastFees(read, send, intent), given);
  if (!intent.feesGiven || send.sponsored) return undefined;
  throw invalid('parameters.maxFeePerGas', 'is required: the send was submitted with its own fees, so give the new fees');
}

/** The public interface cannot speed up. */
export const countersignSpeedUpSend = activity({
  kind: 'COUNTERSIGN_SPEED_UP_SEND',
  resource: 'PRIVATE_KEY',
  action: 'SIGN',
  summary: 'Replace a transaction that is not mined with the same transaction at higher fees',
  params: v1(Params),
  policyParams: {
    send_transaction_status_id: [STRING, ({ sendTransactionStatusId }) => sendTransactionStatusId],
    reason: [STRING, ({ reason }) => reason],
  },
  policyRoots: SEND_ROOTS,
  batch: true,
  async resolve({ ctx, intent: { sendTransactionStatusId } }) {
    const found = await resolveSend(ctx, sendTransactionStatusId);
    if (found === undefined) return undefined;
    const intent = evmIntentOf(found.send);
    const last = intent && (await lastFees(ctx.read, found.send, intent));
    return { ...found, last, feeLimitPercent: ctx.asking?.sponsorship.feeLimitPercent };
  },
  // The send itself was counted when it was accepted.
  takes: ({ ctx, intent: given, subject }) =>
    taken(ctx, subject?.signer, async () => {
      const { send, feeLimitPercent } = subject!;
      const intent = evmIntentOf(send);
      if (intent === undefined) return NOTHING;
      const attempts = await ctx.read.sendAttempts.ofSend(send.organizationId, send.id);
      // One that is refused anyway takes nothing.
      const fees = await wantedFees(ctx.read, send, intent, given).catch(() => undefined);
      return TRANSFERS_BY_KIND.COUNTERSIGN_SPEED_UP_SEND(speedUpSpending({ send, intent, attempts, fees, feeLimitPercent }));
    }),
  async policyView({ ctx, intent: given, subject }) {
    const intent = subject && evmIntentOf(subject.send);
    // A speed-up that is refused anyway has no fees.
    const fees = intent && (await wantedFees(ctx.read, subject!.send, intent, given).catch(() => undefined));
    return replacementViews(ctx, subject, { what: 'speed-up', fees });
  },
  result: { key: 'countersignSpeedUpSendResult', shape: z.object({ sendTransactionStatusId: IdOut }) },
  errors: ['FROZEN', raisedFees, openSend, raiseGas],
  async execute({ ctx, intent: given, subject }) {
    if (subject?.signer?.isFrozen) throw frozenKey();
    const { sendTransactionStatusId: id, reason } = given;
    const send = await openSend(ctx, id, 'speed-up');
    const intent = evmIntentOf(send);
    if (intent === undefined)
      throw unfit('speed-up', 'Solana has no replacement: the same transaction is broadcast until it is mined or expires');
    if (send.state === 'queued') throw unfit('speed-up', 'it is not yet signed');
    if (intent.form === 'raw') throw unfit('speed-up', 'it was submitted signed, and only its sender can sign it again');
    // What was decided, and counted in limits over time, raises the fees of that moment.
    if (JSON.stringify(await lastFees(ctx.store, send, intent)) !== JSON.stringify(subject?.last))
      throw new Busy('the transaction was replaced meanwhile');
    const fees = await wantedFees(ctx.store, send, intent, given);
    const wish = { what: 'speed-up' as const, activityId: ctx.activityId, reason, ...(fees === undefined ? {} : { fees }) };
    requireWritten(await wishForSend(ctx.store, send, wish, ctx.now));
    if (send.sponsored && fees !== undefined) await raiseGas(ctx, send, mostCost(intent, priceOf(feesOf(fees))));
    return { sendTransactionStatusId: id };
  },
});
