import { failPointsAround } from '../../../../../base/fail-point.ts';
import type { Send } from '../../../../../model/send.ts';
import type { Writer } from '../../../../../store/types.ts';
import type { EvmNode, EvmSent } from '../../../../nodes/evm/node.ts';
import { mayBeSent } from '../../../../nodes/evm/outcomes.ts';
import { BATCH, type EvmRow, type Owner, type Ready } from '../parts.ts';
import { evmRow, isCancelled, isDropped } from '../rows.ts';
import { transition, unlessChanged } from '../states.ts';

/** Transactions that are given to the nodes together, in one request where the endpoint takes that. */
const AT_ONCE = 32;
/** The most transactions that wait for this: signing goes on meanwhile. */
const MOST_WAITING = 2 * BATCH;

/** When a broadcast send is first looked at, if no receipt comes. */
const FIRST_LOOK_MS = 5_000;

/** When a send that may be broadcast from now on is looked at. */
export const firstLookAt = ({ wish }: EvmRow, now: number): number => (wish === null ? now + FIRST_LOOK_MS : now);

/** Transactions that nodes refused: all nodes with a known error, or with an unknown error. */
export type Refused = Ready & { sent: EvmSent };

/** Gives transactions to the nodes, in the order of their nonces, several together. */
export type Broadcaster = {
  /** Notes that they may have been broadcast, and begins. Resolves when there is room for more. */
  push(ready: readonly Ready[]): Promise<void>;
  /** Resolves when all have an answer. */
  idle(): Promise<void>;
  /** The transactions refused since the last call. */
  refused(): Refused[];
};

/** The node returned an unknown error; the transaction may have been accepted. */
const isUnclear = ({ outcome, isAnswered }: EvmSent): boolean => outcome === 'unknown' && isAnswered;

/** No node has it yet, so a cancel still wins. Nothing of ours can take the nonce of a transaction that the client signed. */
const isHeldBack = (send: EvmRow): boolean => send.state === 'signed' && isCancelled(send) && send.intent.form !== 'raw';

/**
 * Written before anything leaves: from here on a node may have it. A send that changed meanwhile is left to the next step. A
 * cancelled one is not given to nodes: the next look drops it.
 */
async function noteSent({ claimed, clock }: Owner, ready: readonly Ready[]): Promise<Ready[]> {
  if (ready.every(({ isNoted }) => isNoted)) return [...ready];
  const note = async (tx: Writer) => {
    const now = clock.now();
    const all: Ready[] = [];
    for (const { send, attempt, isNew } of ready) {
      const dueAt = firstLookAt(send, now);
      const sent = send.state === 'sent' ? send : await unlessChanged(transition(tx, send, 'broadcast', { dueAt }, now));
      if (sent === undefined) continue;
      if (isHeldBack(send)) {
        await tx.sendAttempts.note(attempt, { mayBeSent: false, said: attempt.said });
        continue;
      }
      if (!attempt.mayBeSent) await tx.sendAttempts.note(attempt, { mayBeSent: true, said: attempt.said });
      all.push({ send: sent, attempt, isNew });
    }
    return all;
  };
  return failPointsAround('note-sent', () => claimed.transaction(note, 0));
}

/** `onRefusal` is called when an endpoint refuses a transaction: the known nonces of the account may be wrong. */
export function broadcaster(owner: Owner, node: Pick<EvmNode, 'send'>, onRefusal: () => void): Broadcaster {
  const { signal } = owner.claimed;
  const waiting: Ready[] = [];
  let refusals: Refused[] = [];
  let running = 0;
  let listeners: (() => void)[] = [];

  function announce(): void {
    const all = listeners;
    listeners = [];
    for (const one of all) one();
  }

  async function give(one: Ready): Promise<void> {
    try {
      const sent = await failPointsAround('broadcast', () => node.send(`0x${one.attempt.signed.toString('hex')}`));
      if (sent.outcome !== 'sent') onRefusal();
      if (mayBeSent(sent.outcome) && !isUnclear(sent)) return;
      refusals.push({ ...one, sent });
      // Others would fare no better.
      if (sent.outcome === 'rate limited' || sent.outcome === 'unavailable')
        for (const other of waiting.splice(0)) refusals.push({ ...other, sent });
    } finally {
      running--;
      begin();
      announce();
    }
  }

  function begin(): void {
    while (running < AT_ONCE && waiting.length > 0 && !signal.aborted) {
      running++;
      void give(waiting.shift()!);
    }
  }

  const changed = (): Promise<void> => new Promise((resolve) => listeners.push(resolve));

  return {
    async push(ready) {
      if (ready.length === 0) return;
      for (const one of await noteSent(owner, ready)) waiting.push(one);
      begin();
      while (waiting.length > MOST_WAITING && !signal.aborted) await changed();
    },
    async idle() {
      while (running > 0 || (waiting.length > 0 && !signal.aborted)) await changed();
    },
    refused() {
      const all = refusals;
      refusals = [];
      return all;
    },
  };
}

/** The newest attempt of each send. */
async function newestOf({ read }: Pick<Owner, 'read'>, sends: readonly Send[], isNew: boolean): Promise<Ready[]> {
  const ready: Ready[] = [];
  for (const send of sends.map(evmRow)) {
    const attempt = (await read.sendAttempts.ofSend(send.organizationId, send.id)).at(-1);
    if (attempt !== undefined) ready.push({ send, attempt, isNew });
  }
  return ready;
}

/** Broadcasts transactions that an earlier step, or an earlier process, signed and did not send. */
export async function broadcastSigned(owner: Owner, flow: Broadcaster): Promise<void> {
  const { read, key } = owner;
  for (;;) {
    const signed = await read.sendsOfAccount.byNonce(key, 'signed', { limit: BATCH });
    if (signed.length === 0) break;
    await flow.push(await newestOf(owner, signed, true));
  }
}

/** Broadcasts the last sends again that another process noted as sent: it may have died before they left it. */
export async function broadcastRecent(owner: Owner, flow: Broadcaster): Promise<void> {
  const { read, key, clock } = owner;
  const last = await read.sendsOfAccount.lastByNonce(key, 'sent', BATCH);
  const recent = last.filter((one) => clock.now() - one.updatedAt < FIRST_LOOK_MS && !isDropped(one)).toReversed();
  await flow.push(await newestOf(owner, recent, false));
}
