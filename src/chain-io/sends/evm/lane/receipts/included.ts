import type { Log } from '../../../../../engine/ports.ts';
import type { SendAttempt } from '../../../../../model/send.ts';
import { costOf } from '../../../../nodes/evm/values.ts';
import type { Pace } from '../../../pace.ts';
import { AUTHORIZING } from '../nonces/authorized.ts';
import { BATCH, type EvmRow, type OnChain, SHARE } from '../parts.ts';
import { endMessage, evmRow } from '../rows.ts';
import { transition } from '../states.ts';
import type { Doubts } from './agreed.ts';
import { type LookedUp, lookUpAll, type MinedWithNonce } from './look-up.ts';
import { settleLost } from './lost.ts';
import { type ReceiptWriter, type Settling, writeReceipts } from './write.ts';

type Ours = Extract<MinedWithNonce, { is: 'ours' }>;

/** What looks for receipts, and writes them. */
export type Receipts = ReceiptWriter & OnChain & Doubts & { pace: Pace; log: Log };

/**
 * A send reserved two nonces, and the transaction that took its place used one. Gives the second back. Nothing is signed behind
 * such a send.
 */
async function giveSecondBack(
  { tx, row }: Pick<Settling, 'tx' | 'row'>,
  { nonce, intent }: EvmRow,
  { signed }: SendAttempt,
): Promise<void> {
  // A transaction that voids a message may bring the authorization itself.
  const usesTwo = (intent.form === 'undelegate' || intent.form === 'batch') && signed[0] !== AUTHORIZING;
  if (!usesTwo || row.nextNonce !== nonce! + 2) return;
  for (const state of ['signed', 'sent'] as const)
    if ((await tx.sendsOfAccount.byNonce(row, state, { from: nonce! + 1, limit: 1 })).length > 0) return;
  row.nextNonce = nonce! + 1;
  await tx.sendAccounts.change(row, { nextNonce: row.nextNonce });
}

/** Notes that a transaction of ours is in a block. */
export async function include(settling: Settling, { send, gaps }: LookedUp, mined: Ours): Promise<void> {
  const { tx, row, now, costs } = settling;
  const { attempt, receipt, error, authorized } = mined;
  const block = { blockNumber: Number(receipt.blockNumber), blockHash: receipt.blockHash };
  // The send itself ends when this block is final.
  if (attempt.purpose === 'cancel') {
    if (send.blockHash === block.blockHash) return;
    await transition(tx, send, 'superseding one mined', block, now);
    await giveSecondBack({ tx, row }, send, attempt);
    return;
  }
  const included = await transition(tx, send, 'mined', { hash: attempt.hash, error, wish: null, ...block, dueAt: now }, now);
  // It may only have moved to another block.
  if (send.state !== 'included') {
    const known = authorized === null ? undefined : { knownNonce: authorized, knownBlock: block.blockNumber };
    await endMessage(tx, send, row, known);
    if (gaps > 0n) settling.gaps.push(gaps);
  }
  costs.push({ send: included, units: costOf(receipt), isOver: true });
}

/** Sends whose nonce is used: receipts tell which of their attempts used it. Returns whether one came into a block. */
async function includeBatch(
  receipts: Receipts,
  latest: number,
  from: number,
): Promise<{ happened: boolean; next: number | undefined }> {
  const { read, key, claimed, pace } = receipts;
  await pace.turn(claimed.signal);
  const sends = (await read.sendsOfAccount.byNonce(key, 'sent', { from, below: latest, limit: BATCH })).map(evmRow);
  pace.did(sends.length * SHARE.settling);
  const all = await lookUpAll(receipts, sends);
  const ours = all.filter(({ mined }) => mined.is === 'ours');
  const happened = await writeReceipts(receipts, ours, (settling, one) => include(settling, one, one.mined as Ours));
  await settleLost(
    receipts,
    all.filter(({ send, mined }) => mined.is === 'another' || send.blockNumber !== null),
  );
  return { happened, next: sends.length === BATCH ? sends.at(-1)!.nonce! + 1 : undefined };
}

/** Looks for receipts of all sends whose nonce the chain has used. */
export async function findReceipts(receipts: Receipts, latest: number): Promise<boolean> {
  let happened = false;
  for (let from: number | undefined = 0; from !== undefined && !receipts.claimed.signal.aborted; ) {
    const batch: Awaited<ReturnType<typeof includeBatch>> = await includeBatch(receipts, latest, from);
    happened ||= batch.happened;
    from = batch.next;
  }
  return happened;
}
