import { holdOf } from '../../model/quarantine.ts';
import { isOver, type Send, type SendAttempt } from '../../model/send.ts';
import type { SolanaIntent } from '../../model/solana-intent.ts';
import type { Reader } from '../../store/types.ts';
import { holdsSends } from '../keys/frozen.ts';
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

/** The freeze that holds a send back before it is signed; '' without one. */
async function freezeOf(read: Reader, { organizationId, kind, intent, fromAddress }: Send): Promise<string> {
  for (const address of kind === 'solana' ? (intent as SolanaIntent).signWiths : [fromAddress]) {
    const signer = await lookUpSigner(read, organizationId, address);
    if (signer !== undefined && (await holdsSends(read, signer)))
      return `a key that signs it is frozen: query list_freezes shows since when and why. An end of the freeze lets it go on, unless it is cancelled before`;
  }
  return '';
}

/** What a pending send waits for, beside its turn and its block; '' if it waits for nothing else. `attempts`: all of the send. */
export async function waitsFor(read: Reader, send: Send, attempts: readonly SendAttempt[]): Promise<string> {
  if (isOver(send)) return '';
  const { state, kind, wish, error } = send;
  const held = holdOf(await read.instance.quarantine(), send);
  if (held !== undefined) return `quarantine: ${held}`;
  if (state === 'queued') return (await freezeOf(read, send)) || ((await read.sendAccounts.get(send))?.waitsFor ?? '');
  const isDropped = wish?.what === 'cancel' || error !== null;
  return state === 'sent' && kind === 'evm' && isDropped ? waitOfDropped(read, send, attempts) : '';
}
