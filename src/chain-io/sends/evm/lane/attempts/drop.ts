import { failPointsAround } from '../../../../../base/fail-point.ts';
import type { SendAccount, SendAttempt } from '../../../../../model/send.ts';
import type { Writer } from '../../../../../store/types.ts';
import type { EvmRow, Ready, Signing } from '../parts.ts';
import { cancelled, current, fail, isCancelled } from '../rows.ts';
import { mayBeOut } from './further-attempt.ts';
import { fateOf, isPublic, withFate } from './message-fate.ts';
import { supersede } from './supersede.ts';

/** Whether no other signed transaction of the account has its nonce or a higher one. */
async function isLast(tx: Writer, send: EvmRow): Promise<boolean> {
  for (const state of ['signed', 'sent'] as const) {
    const last = await tx.sendsOfAccount.lastByNonce(send, state, 2);
    if (last.some(({ id, nonce }) => id !== send.id && nonce! >= send.nonce!)) return false;
  }
  return true;
}

/** Ends a send that certainly no node has, and gives its nonce back. False if later ones wait behind it: then its nonce must be used. */
async function giveBack(
  { claimed, gas, node, clock }: Pick<Signing, 'claimed' | 'gas' | 'node' | 'clock'>,
  send: EvmRow,
  attempts: readonly SendAttempt[],
): Promise<boolean> {
  const error = withFate(send.error ?? cancelled(send), await fateOf({ node, clock }, send, attempts, undefined));
  const end = async (tx: Writer, row: SendAccount) => {
    if (!(await isLast(tx, send))) return false;
    if (row.nextNonce !== null && row.nextNonce > send.nonce!) {
      await tx.sendAccounts.change(row, { nextNonce: send.nonce });
      row.nextNonce = send.nonce;
    }
    const failed = await fail(tx, send, 'nonce given back', error, row, clock.now());
    await gas.release(tx, failed);
    return true;
  };
  return failPointsAround('look-again', () => claimed.transaction(end));
}

/**
 * Removes a send that is cancelled, or that no node takes. Its nonce is given back, or a transaction that does nothing takes it.
 * Returns the transaction to broadcast.
 */
export async function drop(signing: Signing, send: EvmRow, attempts: readonly SendAttempt[]): Promise<Ready | undefined> {
  const mine = current(send, attempts);
  // If it was broadcast with an earlier nonce, its message is left to void.
  const isLeft = isCancelled(send) && isPublic(send, attempts, signing.clock.now());
  if (!mayBeOut(mine) && !isLeft && (await giveBack(signing, send, attempts))) return undefined;
  const newest = mine.at(-1);
  if (newest?.purpose === 'cancel') return { send, attempt: newest, isNew: !newest.mayBeSent };
  return supersede(signing, send, attempts);
}
