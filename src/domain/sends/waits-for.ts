import { holdOf } from '../../model/quarantine.ts';
import { isOver, type Send, type SendAttempt } from '../../model/send.ts';
import type { Reader } from '../../store/types.ts';
import { lookUpSigner } from '../keys/signers.ts';

/** What a send waits for whose nonce must be taken by another transaction. */
async function waitOfDropped(read: Reader, send: Send, attempts: readonly SendAttempt[]): Promise<string> {
  const { organizationId, account, nonce, sponsored } = send;
  const cancel = attempts.findLast((one) => one.nonce === nonce && one.purpose === 'cancel');
  if (cancel !== undefined)
    return cancel.mayBeSent || cancel.said === '' ? '' : `nodes refuse its cancel, and are given it again: ${cancel.said}`;
  // The paymaster's key is always here.
  const found = sponsored || (await lookUpSigner(read, organizationId, account));
  if (found === true || found?.signer.disabled === false) return '';
  return `another transaction must take its nonce ${nonce}. No usable key of ${account} is here: import it, or use the nonce with a copy of it. Later sends of the account wait too`;
}

/** What a pending send waits for, beside its turn and its block; '' if it waits for nothing else. `attempts`: all of the send. */
export async function waitsFor(read: Reader, send: Send, attempts: readonly SendAttempt[]): Promise<string> {
  if (isOver(send)) return '';
  const { state, kind, wish, error } = send;
  const held = holdOf(await read.instance.quarantine(), send);
  if (held !== undefined) return `quarantine: ${held}`;
  if (state === 'queued') return (await read.sendAccounts.get(send))?.waitsFor ?? '';
  const isDropped = wish?.what === 'cancel' || error !== null;
  return state === 'sent' && kind === 'evm' && isDropped ? waitOfDropped(read, send, attempts) : '';
}
