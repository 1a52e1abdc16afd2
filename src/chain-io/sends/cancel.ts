import { errorsOf } from '../../base/declared-errors.ts';
import { evmIntentOf, openSend, requireWritten, unfit } from '../../domain/sends/send-wishes.ts';
import { endQueuedSend, wishForSend } from '../../domain/sends/sends.ts';
import type { SolanaIntent } from '../../model/solana-intent.ts';
import type { SealedSigner, Writer } from '../../store/types.ts';
import { plainFailure } from './error.ts';
import { releaseGas } from './gas/reserve.ts';

type Context = { store: Writer; organization: { id: string }; now: number };
type Cancelled = { id: string; activityId: string; reason: string; signer: SealedSigner | undefined };

/**
 * Ends a send that is not signed yet, or has its transaction replaced by one that does nothing. Solana has no replacement: there it is
 * not signed again when its blockhash expires. Throws if nothing of this is possible.
 */
export async function cancelSend(ctx: Context, { id, activityId, reason, signer }: Cancelled): Promise<void> {
  const send = await openSend(ctx, id, 'cancel');
  const wish = { what: 'cancel' as const, activityId, reason };
  // If an earlier transaction had the message and was broadcast, that transaction must be voided first.
  if (send.state === 'queued' && send.messageNonce === null) {
    const error = plainFailure(`cancelled by activity ${wish.activityId} before it was signed: ${reason}`);
    requireWritten(await endQueuedSend(ctx.store, send, { error, wish }, ctx.now));
    if (send.sponsored) await releaseGas(ctx.store, send);
    return;
  }
  if (send.kind === 'solana' && (send.intent as SolanaIntent).blockhash !== 'chosen')
    throw unfit('cancel', 'it is signed, and Solana has no replacement: it is mined, or its blockhash expires');
  if (evmIntentOf(send)?.form === 'raw' && signer === undefined)
    throw unfit('cancel', 'it was submitted signed, and the key of its account is not in this organization');
  requireWritten(await wishForSend(ctx.store, send, wish, ctx.now));
}
cancelSend.errors = errorsOf(openSend);
