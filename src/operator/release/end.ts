import { failPointsAround } from '../../base/fail-point.ts';
import { plainFailure } from '../../chain-io/sends/error.ts';
import { evmRow, fail } from '../../chain-io/sends/evm/lane/rows.ts';
import { transition } from '../../chain-io/sends/evm/lane/states.ts';
import { releaseGas } from '../../chain-io/sends/gas/reserve.ts';
import { changeSend } from '../../domain/sends/send-events.ts';
import { type AccountKey, isOver, NEVER, type Send } from '../../model/send.ts';
import type { Store, Writer } from '../../store/types.ts';
import { type Judged, maybeSent } from './fates.ts';

/** Sends of one transaction. */
const BATCH = 100;

const ENDED = 'ended by an operator, who made this database a copy for tests: this instance sends nothing of it';

/** Notes that the original may have given its transactions to nodes. So none of them counts as known to be nowhere. */
async function noteOut(tx: Writer, send: Send, now: number): Promise<Send> {
  for (const attempt of await tx.sendAttempts.ofSend(send.organizationId, send.id))
    if (!attempt.mayBeSent) await tx.sendAttempts.note(attempt, { mayBeSent: true, said: attempt.said });
  if (send.state !== 'signed') return send;
  if (send.kind === 'evm') return transition(tx, evmRow(send), 'broadcast', { dueAt: now }, now);
  const change = { state: 'sent', dueAt: now } as const;
  return (await changeSend(tx, send, change, now)) ? { ...send, ...change, version: send.version + 1 } : send;
}

async function end(tx: Writer, key: AccountKey, send: Send, message: string, now: number): Promise<void> {
  const error = plainFailure(message);
  if (send.kind === 'solana') {
    if (!(await changeSend(tx, send, { state: 'failed', error, dueAt: NEVER }, now))) return;
  } else {
    const out = send.state === 'queued' ? send : await noteOut(tx, send, now);
    const row = (await tx.sendAccounts.get(key))!;
    await fail(tx, evmRow(out), out.state === 'queued' ? 'cannot be signed' : 'lost', error, row, now);
  }
  if (send.sponsored) await releaseGas(tx, send);
}

async function settle(tx: Writer, key: AccountKey, { send: { organizationId, id }, fate }: Judged, now: number): Promise<void> {
  const send = await tx.sends.get(organizationId, id);
  // A request may have ended it meanwhile.
  if (send === undefined || isOver(send)) return;
  if (fate === 'maybe sent') await end(tx, key, send, maybeSent(key.account), now);
  else if (fate === 'ended') await end(tx, key, send, ENDED, now);
  else if (send.state !== 'queued') await noteOut(tx, send, now);
}

/** Writes what was found about the sends of one account. A killed command is run again, and finds the rest. */
export async function write(store: Store, key: AccountKey, judged: readonly Judged[], now: () => number): Promise<void> {
  const all = judged.filter(({ fate }) => fate !== 'held');
  for (let at = 0; at < all.length; at += BATCH)
    await failPointsAround('release', () =>
      store.transaction(async (tx) => {
        await tx.sendAccounts.lock({ ...key, kind: all[at]!.send.kind });
        for (const one of all.slice(at, at + BATCH)) await settle(tx, key, one, now());
      }),
    );
}
