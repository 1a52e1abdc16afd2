import { failPoint } from '../../../../base/fail-point.ts';
import type { Send } from '../../../../model/send.ts';
import type { EvmSent } from '../../../nodes/evm/node.ts';
import { mayBeSent } from '../../../nodes/evm/outcomes.ts';
import { plainFailure } from '../../error.ts';
import { evmRow } from './rows.ts';
import { transition, unlessChanged } from './states.ts';
import { BATCH, type EvmRow, type Ready, type Work } from './work.ts';

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

export const textOf = ({ answers, outcome }: EvmSent): string =>
  (answers.find((answer) => answer.outcome === outcome) ?? answers[0])?.text || outcome;

/** Refused with an unknown error: it may have been accepted, or will never be. */
const isPuzzling = ({ outcome, isAnswered }: EvmSent): boolean => outcome === 'unknown' && isAnswered;

/** Written before anything leaves: from here on a node may have it. */
async function noteSent({ claimed, clock }: Work, ready: readonly Ready[]): Promise<Ready[]> {
  if (ready.every(({ isNoted }) => isNoted)) return [...ready];
  await failPoint('before note-sent');
  const noted = await claimed.transaction(async (tx) => {
    const now = clock.now();
    const all: Ready[] = [];
    for (const { send, attempt, isNew } of ready) {
      const sent =
        send.state === 'sent'
          ? send
          : await unlessChanged(transition(tx, send, 'broadcast', { dueAt: firstLookAt(send, now) }, now));
      // The next step sees how it changed.
      if (sent === undefined) continue;
      if (!attempt.mayBeSent) await tx.sendAttempts.note(attempt, { mayBeSent: true, said: attempt.said });
      all.push({ send: sent, attempt, isNew });
    }
    return all;
  }, 0);
  await failPoint('after note-sent');
  return noted;
}

export function broadcaster(work: Work): Broadcaster {
  const { node, claimed, memory } = work;
  const waiting: Ready[] = [];
  let refusals: Refused[] = [];
  let underWay = 0;
  let told: (() => void)[] = [];

  function tell(): void {
    const all = told;
    told = [];
    for (const one of all) one();
  }

  async function give(one: Ready): Promise<void> {
    try {
      await failPoint('before broadcast');
      const sent = await node.send(`0x${one.attempt.signed.toString('hex')}`);
      await failPoint('after broadcast');
      if (sent.outcome !== 'sent') memory.nonces = undefined;
      if (mayBeSent(sent.outcome) && !isPuzzling(sent)) return;
      refusals.push({ ...one, sent });
      // Others would fare no better.
      if (sent.outcome === 'rate limited' || sent.outcome === 'unavailable')
        for (const other of waiting.splice(0)) refusals.push({ ...other, sent });
    } finally {
      underWay--;
      begin();
      tell();
    }
  }

  function begin(): void {
    while (underWay < AT_ONCE && waiting.length > 0 && !claimed.signal.aborted) {
      underWay++;
      void give(waiting.shift()!);
    }
  }

  const changed = (): Promise<void> => new Promise((resolve) => told.push(resolve));

  return {
    async push(ready) {
      if (ready.length === 0) return;
      for (const one of await noteSent(work, ready)) waiting.push(one);
      begin();
      while (waiting.length > MOST_WAITING && !claimed.signal.aborted) await changed();
    },
    async idle() {
      while (underWay > 0 || (waiting.length > 0 && !claimed.signal.aborted)) await changed();
    },
    refused() {
      const all = refusals;
      refusals = [];
      return all;
    },
  };
}

/** The newest attempt of each send. */
async function newestOf({ read }: Work, sends: readonly Send[], isNew: boolean): Promise<Ready[]> {
  const ready: Ready[] = [];
  for (const send of sends.map(evmRow)) {
    const attempt = (await read.sendAttempts.ofSend(send.organizationId, send.id)).at(-1);
    if (attempt !== undefined) ready.push({ send, attempt, isNew });
  }
  return ready;
}

/** Broadcasts transactions that an earlier step, or an earlier process, signed and did not send. */
export async function sendLeft(work: Work, flow: Broadcaster): Promise<void> {
  const { read, key, clock, memory } = work;
  for (;;) {
    const signed = await read.sendsOfAccount.byNonce(key, 'signed', { limit: BATCH });
    if (signed.length === 0) break;
    await flow.push(await newestOf(work, signed, true));
  }
  if (memory.hasSwept) return;
  // The last sends that another process noted as sent may not have left it.
  memory.hasSwept = true;
  const last = await read.sendsOfAccount.lastByNonce(key, 'sent', BATCH);
  const recent = last.filter(({ updatedAt }) => clock.now() - updatedAt < FIRST_LOOK_MS).toReversed();
  await flow.push(await newestOf(work, recent, false));
}

/** Notes the nodes' error for a send that was certainly not accepted with this attempt: it is tried again later. */
export async function noteRefused(work: Work, { send, attempt, isNew, sent }: Refused, ms: number): Promise<EvmRow | undefined> {
  const { claimed, clock } = work;
  return unlessChanged(
    claimed.transaction(async (tx) => {
      const now = clock.now();
      const said = plainFailure(textOf(sent)).message;
      await tx.sendAttempts.note(attempt, { mayBeSent: !isNew, said });
      return transition(tx, send, 'refused for now', { dueAt: now + Math.ceil(ms) }, now);
    }),
  );
}
