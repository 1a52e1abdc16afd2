import { errorsOf } from '../../base/declared-errors.ts';
import { ApiError, invalid } from '../../base/errors.ts';
import type { EvmIntent, Send, SendWish } from '../../model/send.ts';
import type { Reader, SealedSigner, Writer } from '../../store/types.ts';
import { lookUpSigner } from '../keys/signers.ts';

const FIELD = 'parameters.sendTransactionStatusId';

/** The send that an activity is about, and the signer of its account. Undefined if there is none. */
export type SendSubject = { send: Send; signer: SealedSigner | undefined } | undefined;

export const evmIntentOf = ({ kind, intent }: Send): EvmIntent | undefined =>
  kind === 'evm' ? (intent as EvmIntent) : undefined;

export async function resolveSend(
  { read, organization }: { read: Reader; organization: { id: string } },
  id: string,
): Promise<SendSubject> {
  const send = await read.sends.get(organization.id, id);
  if (send === undefined) return undefined;
  return { send, signer: await lookUpSigner(read, organization.id, send.fromAddress) };
}

/** The refusal of a send that an activity is about. */
export const unfit = (what: SendWish['what'], why: string): ApiError =>
  invalid(FIELD, `names a send that cannot be ${what === 'cancel' ? 'cancelled' : 'sped up'}: ${why}`);

/** Refuses a send that has ended, or is being cancelled. */
function requireOpen(send: Send, what: SendWish['what']): void {
  if (send.state === 'failed') throw unfit(what, 'it has failed');
  if (send.state === 'included') throw unfit(what, 'its transaction is already mined');
  if (send.state === 'final') throw unfit(what, 'its transaction is mined in a final block');
  if (send.wish?.what === 'cancel') throw unfit(what, `activity ${send.wish.activityId} already cancels it`);
}

/**
 * The send as it is now, until the transaction ends. Every change by its account's owner begins with a write of the account's
 * row, which is made due here.
 */
export async function openSend(
  { store, organization, now }: { store: Writer; organization: { id: string }; now: number },
  id: string,
  what: SendWish['what'],
): Promise<Send> {
  const seen = await store.sends.get(organization.id, id);
  if (seen === undefined) throw new ApiError('NOT_FOUND', `send not found: ${FIELD} names ${id}`);
  await store.sendAccounts.makeDue(seen, now);
  const send = await store.sends.get(organization.id, id);
  if (send === undefined) throw new Error('a send is never removed');
  requireOpen(send, what);
  return send;
}
openSend.errors = errorsOf('REQUEST_INVALID', 'NOT_FOUND');

/** Checks that a write changed the send that `openSend` returned. */
export function requireWritten(written: boolean): void {
  if (!written) throw new Error('a send changed while its account was held');
}
