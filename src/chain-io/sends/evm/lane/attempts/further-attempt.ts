import { failPointsAround } from '../../../../../base/fail-point.ts';
import { lookUpSigner } from '../../../../../domain/keys/signers.ts';
import type { SendAttempt } from '../../../../../model/send.ts';
import type { Writer } from '../../../../../store/types.ts';
import { type EvmFees, feesFor, leastReplacement, replacementFees } from '../../../../nodes/evm/fees.ts';
import { bound, dearest, feesOf, priceOf } from '../../fees.ts';
import type { EvmSigned, EvmTools } from '../../sign.ts';
import type { Costs, EvmRow, Keys, OnChain, Owner, Ready, Rows } from '../parts.ts';
import { isCancelled } from '../rows.ts';
import { transition } from '../states.ts';
import { reserveAttempt } from './spending.ts';

export const mayBeOut = (attempts: readonly SendAttempt[]): boolean => attempts.some(({ mayBeSent }) => mayBeSent);

/** The signing tools for the account that pays. Undefined if its key is not here, as for a raw transaction, or is gone. */
export async function toolsFor(
  { read, vault, paymaster }: Pick<Rows, 'read'> & Keys,
  { organizationId, intent, sponsored, account }: EvmRow,
): Promise<EvmTools | undefined> {
  const named = intent.form === 'raw' ? account : intent.signWith;
  const signer = await lookUpSigner(read, organizationId, named);
  if (signer?.signer.disabled) return undefined;
  if (sponsored) return paymaster && { vault, signer, paymaster };
  return signer && { vault, signer, paymaster: undefined };
}

/**
 * What an attempt is made for, if the stored row does not say it yet. It is no row: only `storeAttempt` writes it, as a change that
 * the transition sees.
 */
export type Cause = Pick<EvmRow, 'wish' | 'error'>;

/**
 * The most that the next attempt may pay for a unit of gas. A cancel may outbid the payment, whatever the bound, or the payment
 * would be given again until it is mined. It may not outbid an earlier cancel above the bound.
 */
function mostOf(
  send: Cause & Pick<EvmRow, 'intent'>,
  attempts: readonly SendAttempt[],
  { settings }: Pick<Costs, 'settings'>,
): bigint {
  const { intent, error, wish } = send;
  const usual = bound(intent, error === null ? wish : { what: 'cancel', activityId: '', reason: '' }, settings);
  const payment = isCancelled(send) ? dearest(attempts.filter(({ purpose }) => purpose === 'send'))?.fees : undefined;
  const outbids = payment ? priceOf(leastReplacement(feesOf(payment))) : 0n;
  return outbids > usual ? outbids : usual;
}

/** The fees of the next attempt. Undefined: the broadcast attempts already pay the maximum, which is `given` or the usual bound. */
export async function nextFees(
  { chain, settings }: Pick<OnChain, 'chain'> & Pick<Costs, 'settings'>,
  send: Cause & Pick<EvmRow, 'intent'>,
  attempts: readonly SendAttempt[],
  given?: bigint,
): Promise<EvmFees | undefined> {
  const { wish, intent } = send;
  if (wish?.what === 'speed-up' && wish.fees !== undefined) return feesOf(wish.fees);
  const prices = await chain.prices();
  const out = attempts.filter(({ mayBeSent }) => mayBeSent);
  const most = given ?? mostOf(send, out, { settings });
  const before = dearest(out);
  if (before?.fees != null) return replacementFees(feesOf(before.fees), prices, most);
  const now = feesFor(prices);
  return priceOf(now) <= most ? now : feesOf(intent.fees);
}

type Facts = Pick<SendAttempt, 'purpose' | 'nonce' | 'fees' | 'createdAt'>;

/** An attempt after the others. It is given to the nodes right after it is stored. `attempts`: all of the send. */
export const attemptAfter = (
  attempts: readonly SendAttempt[],
  { organizationId, id: sendId }: EvmRow,
  { signed, hash }: EvmSigned,
  facts: Facts,
): SendAttempt => ({
  organizationId,
  sendId,
  number: (attempts.at(-1)?.number ?? 0) + 1,
  signed: Buffer.from(signed),
  hash,
  mayBeSent: true,
  said: '',
  lastValidBlockHeight: null,
  ...facts,
});

/** The wish for a speed-up is fulfilled by a replacement. */
function noteAttempt(tx: Writer, send: EvmRow, { purpose, hash }: SendAttempt, cause: Cause, now: number): Promise<EvmRow> {
  if (purpose === 'send') return transition(tx, send, 'replaced', { hash, wish: null }, now);
  if (purpose === 'cancel') return transition(tx, send, 'superseded', { error: cause.error, wish: cause.wish }, now);
  return transition(tx, send, 'gap filled', {}, now);
}

/** It would cost more than is allowed. */
class TooDear extends Error {}

/** Stores a further attempt, which may be broadcast from then on. Undefined if it would exceed the payer's limits. */
export async function storeAttempt(
  { claimed, clock, ...costs }: Pick<Owner, 'claimed' | 'clock'> & Costs,
  send: EvmRow,
  attempt: SendAttempt,
  cause: Cause = send,
): Promise<Ready | undefined> {
  const store = () =>
    claimed.transaction(async (tx) => {
      const now = clock.now();
      await tx.sendAttempts.insert(attempt);
      const changed = await noteAttempt(tx, send, attempt, cause, now);
      if (!(await reserveAttempt(costs, tx, changed, attempt, now))) throw new TooDear();
      return { send: changed, attempt, isNew: true };
    });
  return failPointsAround('replace', store).catch((error) => {
    if (error instanceof TooDear) return undefined;
    throw error;
  });
}
