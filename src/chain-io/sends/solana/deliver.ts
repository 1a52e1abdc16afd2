import { failPoint } from '../../../base/fail-point.ts';
import type { Send, SendAttempt } from '../../../model/send.ts';
import type { SolanaSent } from '../../nodes/solana/node.ts';
import { plainFailure, type SendError, solanaSendError } from '../error.ts';
import type { NextDue } from '../lane.ts';
import { withPayer } from './payer-error.ts';
import { BATCH, cancelOf, change, dueIn, fail, type Work } from './work.ts';

/** No node has it, and the endpoints may take it another time. */
const NOT_NOW: readonly string[] = ['blockhash not found', 'rate limited', 'unavailable'];
/** An endpoint tried it out, and it fails. */
const REFUSED: readonly string[] = ['simulation failed', 'insufficient funds', 'invalid'];

/** A send with the latest transaction that was signed for it, to give to the nodes. */
export type Given = { send: Send; attempt: SendAttempt };

/** Whether certainly no node has it: then it is tried out first, so that a failing one costs nothing. */
const isNew = ({ mayBeSent, said }: SendAttempt): boolean => !mayBeSent || NOT_NOW.includes(said);

function errorOf({ answers }: SolanaSent): SendError {
  const failures = answers.flatMap(({ failure }) => failure ?? []);
  const told = failures.find(({ err }) => err !== undefined) ?? failures[0];
  return told === undefined ? plainFailure(answers[0]?.text ?? 'no node takes the transaction') : solanaSendError(told);
}

/**
 * Gives them to every endpoint. Before that, it writes that they may have been broadcast. The commit also confirms what was read: a
 * standby that lacks a broadcast transaction would sign another one.
 */
export async function giveToNodes(work: Work, given: readonly Given[]): Promise<void> {
  if (given.length === 0) return;
  const { claimed, clock, node, memory } = work;
  const fresh = given.filter(({ attempt }) => isNew(attempt));
  await failPoint('before note-sent');
  await claimed.transaction(async (tx) => {
    for (const { send, attempt } of fresh) {
      await tx.sendAttempts.note(attempt, { mayBeSent: true, said: '' });
      if (send.state !== 'sent') await change(tx, work, send, { state: 'sent', dueAt: clock.now() });
    }
  });
  await failPoint('after note-sent');
  await failPoint('before broadcast');
  const sent = await Promise.all(
    given.map(({ attempt }) => node.send(attempt.signed.toString('base64'), { preflight: isNew(attempt) })),
  );
  await failPoint('after broadcast');
  for (const { send } of given) memory.given.set(send.id, clock.now());
  const told = given.flatMap((one, i) => (fresh.includes(one) && isTold(sent[i]!) ? { ...one, sent: sent[i]! } : []));
  if (told.length === 0) return;
  await claimed.transaction(async (tx) => {
    for (const { send, attempt, sent } of told) {
      if (NOT_NOW.includes(sent.outcome)) {
        await tx.sendAttempts.note(attempt, { mayBeSent: true, said: sent.outcome });
        continue;
      }
      const now = await tx.sends.get(send.organizationId, send.id);
      if (now !== undefined) await fail(tx, work, now, withPayer(now, errorOf(sent)));
    }
  });
}

const isTold = ({ outcome }: SolanaSent) => NOT_NOW.includes(outcome) || REFUSED.includes(outcome);

/** Sends that were cancelled after they were signed are given to no node, and fail when their blockhash has expired. */
async function withoutCancelled(work: Work, signed: readonly Send[]): Promise<readonly Send[]> {
  const { claimed, clock } = work;
  const gone = signed.filter((send) => cancelOf(send) !== undefined);
  if (gone.length === 0) return signed;
  await claimed.transaction(async (tx) => {
    for (const send of gone) await change(tx, work, send, { state: 'sent', dueAt: clock.now() });
  });
  return signed.filter((send) => !gone.includes(send));
}

/** Broadcasts signed sends. */
export async function deliver(work: Work): Promise<NextDue> {
  const { read, claimed, clock } = work;
  const signed = await read.sendsOfAccount.due(claimed, 'signed', clock.now(), BATCH);
  const given: Given[] = [];
  for (const send of await withoutCancelled(work, signed)) {
    const attempt = (await read.sendAttempts.ofSend(send.organizationId, send.id)).at(-1);
    if (attempt !== undefined) given.push({ send, attempt });
  }
  await giveToNodes(work, given);
  return dueIn(work, 'signed');
}
