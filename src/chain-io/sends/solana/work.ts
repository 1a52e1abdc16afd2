import type { Clock } from '../../../base/clock.ts';
import type { Lru } from '../../../base/lru.ts';
import { changeSend } from '../../../domain/sends/send-events.ts';
import type { Log } from '../../../engine/ports.ts';
import { NEVER, type Send, type SendChange, type SendState } from '../../../model/send.ts';
import type { SendError } from '../../../model/send-error.ts';
import type { SolanaIntent } from '../../../model/solana-intent.ts';
import type { Reader, Writer } from '../../../store/types.ts';
import type { SolanaNode } from '../../nodes/solana/node.ts';
import type { SolanaStatus } from '../../nodes/solana/values.ts';
import { type LookUp, NoNodeError } from '../../nodes/types.ts';
import { releaseGas } from '../gas/reserve.ts';
import { type Claimed, LostAccount, type NextDue } from '../lane.ts';
import type { Pace } from '../pace.ts';
import type { SolanaTools } from './sign.ts';

/** The parts that the steps of one account need. */
export type Work = {
  read: Reader;
  clock: Clock;
  tools: SolanaTools;
  log: Pick<Log, 'error'>;
  pace: Pace;
  node: SolanaNode;
  claimed: Claimed;
  memory: Memory;
};

/** Kept only while the process runs: by the id of a send. */
export type Memory = {
  /** When it was last given to the nodes. */
  given: Lru<number>;
  /** Its bytes are those of another send: it waits for another blockhash. */
  clashes: Lru<true>;
  /** Since when it is final, and has failed, by some endpoints alone. */
  doubted: Lru<number>;
};

/** How many are signed, or given to the nodes, together. */
export const BATCH = 32;

/** The cost of signing and of settling a send, as shares of the whole. */
export const SHARE = { signing: 0.6, settling: 0.4 };

export const intentOf = ({ intent }: Send): SolanaIntent => intent as SolanaIntent;

/** The activity that cancelled a send, with its reason. Undefined: it is not cancelled. */
export const cancelOf = ({ wish }: Send): string | undefined =>
  wish?.what === 'cancel' ? `activity ${wish.activityId} cancelled it: ${wish.reason}` : undefined;

/** Another writer changed the send, for example to cancel it. Nothing of the transaction is written, and the step is tried again. */
export class ChangedMeanwhile extends Error {}

/** Throws ChangedMeanwhile. `isGone`: see `Certain`. */
export async function change(tx: Writer, { clock }: Work, send: Send, to: SendChange, isGone?: boolean): Promise<void> {
  if (!(await changeSend(tx, send, to, clock.now(), { isGone }))) throw new ChangedMeanwhile(send.id);
}

/** Ends a send of which nothing is, or will be, in a block. */
export async function fail(tx: Writer, work: Work, send: Send, error: SendError, isGone?: boolean): Promise<void> {
  await change(tx, work, send, { state: 'failed', error, dueAt: NEVER }, isGone);
  if (send.sponsored) await releaseGas(tx, send);
}

/** Logs an error of one send, so that others go on. Throws errors that concern all of them. */
export function troubled({ log, claimed }: Work, { id }: Send, error: unknown): void {
  if (error instanceof NoNodeError || error instanceof LostAccount || error instanceof ChangedMeanwhile) throw error;
  log.error(
    { caip2: claimed.caip2, account: claimed.account, sendId: id, error },
    'a send could not be processed; it is retried',
  );
}

/** When the next send of the account in this state is due. */
export async function dueIn({ read, claimed, clock }: Work, state: SendState): Promise<NextDue> {
  const next = await read.sendsOfAccount.nextDue(claimed, state);
  return next === undefined ? undefined : Math.max(0, next - clock.now());
}

/** A send that is in a block. `isAgreed`: every endpoint says that this is final. */
export type Found = { send: Send; status: SolanaStatus; isAgreed?: boolean };

/** Whether all endpoints answered, and none has it: one that lags is not enough. */
export const isNowhere = ({ value, answered, endpoints }: LookUp<unknown>): boolean =>
  value === undefined && answered === endpoints;
