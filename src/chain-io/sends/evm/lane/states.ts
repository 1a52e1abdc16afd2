import type { FailStep } from '../../../../base/fail-point.ts';
import { changeSend, type SendWriter } from '../../../../domain/sends/send-events.ts';
import type { Certain } from '../../../../domain/velocity/settle.ts';
import type { Send, SendChange, SendState } from '../../../../model/send.ts';
import type { EvmRow } from './parts.ts';

/** Each state is certain, also after a process died. */
export const CERTAIN: Readonly<Record<SendState, string>> = {
  queued: 'it has no nonce, and no transaction that we signed with its calls can be in a block',
  signed: 'its nonce and its signed bytes are stored, and we have given them to no node',
  sent: 'a node may have it; only its stored attempts have its nonce, unless the caller gave the nonce',
  included: 'a receipt of one of its attempts is in a block',
  final: 'that block is final',
  failed: 'no transaction of it carries out its calls, now or later',
};

/**
 * The transaction that writes it, with a fail point before and after:
 * - `store-signature`: `attempts/store-signed.ts`.
 * - `note-sent`: `attempts/broadcast.ts`.
 * - `look-again`: `attempts/resend.ts`, `attempts/refusals.ts`, `attempts/drop.ts`, and `src/operator/withdraw/evm.ts`.
 * - `replace`: `attempts/further-attempt.ts`.
 * - `receipt`: `receipts/write.ts`.
 */
type Write = Extract<FailStep, 'store-signature' | 'note-sent' | 'look-again' | 'replace' | 'receipt'>;

type Row = { from: SendState; event: string; write: Write; sets: readonly (keyof SendChange)[]; to: SendState };

const CLEARS = ['error', 'dueAt', 'blockNumber', 'blockHash'] as const;
const ALLOCATES = ['nonce', 'messageNonce', 'hash', 'dueAt'] as const;
const MINES = ['hash', 'error', 'wish', 'blockNumber', 'blockHash', 'dueAt'] as const;
const REQUEUES = ['nonce', 'messageNonce', 'hash', 'blockNumber', 'blockHash', 'dueAt', 'spent'] as const;

/**
 * All that can happen to a send on an EVM chain, by its account's owner. An event that is not here throws, and nothing is written.
 * `sets`: the members that it may change beside the state. Decision 0043 has the same table, and a test compares the two.
 *
 * Outside the lane, `src/operator/withdraw/evm.ts` notes that each node refused a withdrawal. `src/operator/release/end.ts` ends
 * sends and notes broadcasts of a copy, with the fail points of `release`.
 *
 * A request may also end a queued send, or store its wish in a queued, signed or sent one (`src/domain/sends/sends.ts`).
 */
export const TRANSITIONS = [
  { from: 'queued', event: 'postponed', write: 'store-signature', sets: ['dueAt'], to: 'queued' },
  { from: 'queued', event: 'cannot be signed', write: 'store-signature', sets: CLEARS, to: 'failed' },
  { from: 'queued', event: 'signed', write: 'store-signature', sets: ALLOCATES, to: 'signed' },
  { from: 'queued', event: 'signed for immediate broadcast', write: 'store-signature', sets: ALLOCATES, to: 'sent' },
  { from: 'signed', event: 'broadcast', write: 'note-sent', sets: ['dueAt'], to: 'sent' },
  { from: 'sent', event: 'looked at', write: 'look-again', sets: ['dueAt', 'blockNumber', 'blockHash'], to: 'sent' },
  { from: 'sent', event: 'refused for now', write: 'look-again', sets: ['dueAt'], to: 'sent' },
  { from: 'sent', event: 'refused for good', write: 'look-again', sets: ['error', 'dueAt'], to: 'sent' },
  { from: 'sent', event: 'nonce given back', write: 'look-again', sets: CLEARS, to: 'failed' },
  { from: 'sent', event: 'replaced', write: 'replace', sets: ['hash', 'wish'], to: 'sent' },
  { from: 'sent', event: 'superseded', write: 'replace', sets: ['error', 'wish'], to: 'sent' },
  { from: 'sent', event: 'gap filled', write: 'replace', sets: [], to: 'sent' },
  { from: 'sent', event: 'mined', write: 'receipt', sets: MINES, to: 'included' },
  { from: 'sent', event: 'superseding one mined', write: 'receipt', sets: ['blockNumber', 'blockHash'], to: 'sent' },
  { from: 'sent', event: 'nonce used', write: 'receipt', sets: ['blockNumber'], to: 'sent' },
  { from: 'sent', event: 'lost', write: 'receipt', sets: CLEARS, to: 'failed' },
  { from: 'sent', event: 'lost its nonce', write: 'receipt', sets: REQUEUES, to: 'queued' },
  { from: 'included', event: 'mined', write: 'receipt', sets: MINES, to: 'included' },
  { from: 'included', event: 'reorganized', write: 'receipt', sets: CLEARS, to: 'sent' },
  { from: 'included', event: 'finalized', write: 'receipt', sets: ['dueAt'], to: 'final' },
] as const satisfies readonly Row[];

type Transition = (typeof TRANSITIONS)[number];
export type SendEvent = Transition['event'];
type Sets<E extends SendEvent> = Pick<SendChange, Extract<Transition, { event: E }>['sets'][number]>;

const ROWS: ReadonlyMap<string, Row> = new Map(TRANSITIONS.map((row) => [`${row.from}, ${row.event}`, row]));

function rowFor({ id, state }: Send, event: SendEvent, to: object): Row {
  const row = ROWS.get(`${state}, ${event}`);
  if (row === undefined) throw new Error(`illegal transition: send ${id} is ${state}, and cannot be ${event}`);
  const other = Object.keys(to).find((member) => !row.sets.includes(member as keyof SendChange));
  if (other !== undefined)
    throw new Error(`illegal transition: send ${id} is ${state}, and '${event}' does not change its ${other}`);
  return row;
}

/** A send has changed since it was read. The other writer is right, and the step looks again. */
export class ChangedMeanwhile extends Error {}

/** Undefined: the send has changed since it was read, and nothing was written. */
export async function unlessChanged<T>(writing: Promise<T>): Promise<T | undefined> {
  try {
    return await writing;
  } catch (error) {
    if (error instanceof ChangedMeanwhile) return undefined;
    throw error;
  }
}

/**
 * The one place where the owner writes a send. Returns the changed send. Throws ChangedMeanwhile if the send has changed since it was
 * read. Throws an Error if the table does not have the transition. Then nothing is written.
 */
export async function transition<E extends SendEvent>(
  tx: SendWriter,
  send: EvmRow,
  event: E,
  to: Sets<E>,
  now: number,
  certain?: Certain,
): Promise<EvmRow> {
  const change = { ...to, state: rowFor(send, event, to).to };
  if (!(await changeSend(tx, send, change, now, certain))) throw new ChangedMeanwhile(`send ${send.id} changed meanwhile`);
  return { ...send, ...change, updatedAt: now, version: send.version + 1 };
}
