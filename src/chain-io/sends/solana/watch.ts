import { failPoint } from '../../../base/fail-point.ts';
import { NEVER, type Send, type SendChange } from '../../../model/send.ts';
import { type SendError, solanaSendError } from '../error.ts';
import { settleGas } from '../gas/reserve.ts';
import type { NextDue } from '../lane.ts';
import { resend } from './resend.ts';
import { BATCH, change, dueIn, type Found, intentOf, isNowhere, SHARE, type Work } from './work.ts';

/** The most signatures that a node takes in one request. */
const LOOKED_UP = 256;

const FINAL_MS = 2_000;

/** A young one is looked for more often. */
const pollMs = (age: number): number => (age < 30_000 ? 400 : age < 120_000 ? 1_000 : 5_000);

/** Its error, as soon as the chain explains it; and its cost, once that is final. */
async function explained({ node }: Work, { send, status: { err, commitment } }: Found) {
  const told = send.error as SendError | null;
  const isFinal = commitment === 'finalized';
  const isOpen = err !== undefined && (told?.solana?.logs ?? []).length === 0;
  if (!isOpen && !(isFinal && send.sponsored)) return { error: err === undefined ? null : told, fee: undefined };
  const value = (await node.transaction(send.hash).catch(() => undefined))?.value;
  const error = err === undefined ? null : solanaSendError({ source: 'execution', ...value, err: value?.err ?? err });
  return { error, fee: value?.fee };
}

/** The sponsor's cost: a transaction that fails gives no rent. */
function costOf({ send, status }: Found, fee: bigint | undefined): bigint {
  const { lamports, rent } = intentOf(send);
  if (fee === undefined) return BigInt(lamports);
  return status.err === undefined ? fee + BigInt(rent) : fee;
}

/** How long a failure waits until every endpoint has it. Then what it counted stays reserved. */
const AGREE_MS = 600_000;

/** Whether endpoints may agree soon that a send failed for good. */
function isOpen({ clock, memory }: Work, { send, status: { err }, isAgreed = false }: Found): boolean {
  if (err === undefined || isAgreed || send.intent.reserves === undefined) return false;
  const since = memory.doubted.get(send.id) ?? clock.now();
  memory.doubted.set(send.id, since);
  return clock.now() - since < AGREE_MS;
}

async function includeBatch(work: Work, found: readonly Found[]): Promise<void> {
  const { claimed, clock, memory, pace } = work;
  const told = await Promise.all(found.map((one) => explained(work, one)));
  await pace.turn(claimed.signal);
  pace.did(found.length * SHARE.settling);
  await failPoint('before receipt');
  await claimed.transaction(async (tx) => {
    for (const [i, { send, status, isAgreed = false }] of found.entries()) {
      const { error, fee } = told[i]!;
      const blockNumber = Number(status.slot);
      if (status.commitment !== 'finalized' || isOpen(work, found[i]!)) {
        await change(tx, work, send, { state: 'included', blockNumber, error, dueAt: clock.now() + FINAL_MS });
        continue;
      }
      await change(tx, work, send, { state: 'final', blockNumber, error, dueAt: NEVER }, isAgreed);
      if (send.sponsored) await settleGas(tx, send, costOf(found[i]!, fee));
    }
  });
  await failPoint('after receipt');
  for (const { send } of found) memory.given.delete(send.id);
}

/** Writes that they are in a block, and that this is final once it is. */
async function include(work: Work, found: readonly Found[]): Promise<void> {
  for (let at = 0; at < found.length; at += BATCH) await includeBatch(work, found.slice(at, at + BATCH));
}

/** The sends that a block has, and the others. */
async function lookUp({ node }: Work, sends: readonly Send[], how: { history?: boolean }) {
  const statuses = await node.statuses(
    sends.map(({ hash }) => hash),
    how,
  );
  const found: Found[] = [];
  const missing: { send: Send; isNowhere: boolean }[] = [];
  for (const [i, send] of sends.entries()) {
    const status = statuses[i]!;
    if (status.value === undefined) missing.push({ send, isNowhere: isNowhere(status) });
    else found.push({ send, status: status.value, isAgreed: status.isAgreed });
  }
  return { found, missing };
}

/** Looks at sends that may have been broadcast. Those in a block are noted. Others are given to the nodes again while they can land. */
export async function watchSent(work: Work): Promise<NextDue> {
  const { read, claimed, clock } = work;
  const sent = await read.sendsOfAccount.due(claimed, 'sent', clock.now(), LOOKED_UP);
  if (sent.length === 0) return dueIn(work, 'sent');
  const { found, missing } = await lookUp(work, sent, {});
  await include(work, found);
  if (missing.length === 0) return 0;
  const late = await resend(
    work,
    missing.map(({ send }) => send),
  );
  await include(work, late);
  if (sent.length === LOOKED_UP)
    // Others have their turn before these.
    await claimed.transaction(async (tx) => {
      for (const { send } of missing) {
        const now = await tx.sends.get(send.organizationId, send.id);
        if (now?.state === 'sent') await change(tx, work, now, { dueAt: clock.now() + pollMs(clock.now() - now.createdAt) });
      }
    });
  return pollMs(Math.min(...missing.map(({ send }) => clock.now() - send.updatedAt)));
}

/** Sends in a block become final, or return to those that may be pending if the block was left. */
export async function watchIncluded(work: Work): Promise<NextDue> {
  const { read, claimed, clock, memory } = work;
  const included = await read.sendsOfAccount.due(claimed, 'included', clock.now(), LOOKED_UP);
  if (included.length === 0) return dueIn(work, 'included');
  const { found, missing } = await lookUp(work, included, { history: true });
  await include(work, found);
  if (missing.length > 0)
    await claimed.transaction(async (tx) => {
      for (const { send, isNowhere } of missing) {
        memory.given.delete(send.id);
        const left: SendChange = { state: 'sent', blockNumber: null, error: null, dueAt: clock.now() };
        await change(tx, work, send, isNowhere ? left : { dueAt: clock.now() + FINAL_MS });
      }
    });
  return missing.length > 0 ? 0 : dueIn(work, 'included');
}
