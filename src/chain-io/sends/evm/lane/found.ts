import type { SendAttempt } from '../../../../model/send.ts';
import type { EvmReceipt } from '../../../nodes/evm/values.ts';
import type { LookUp } from '../../../nodes/types.ts';
import { evmFailureOf, plainFailure, type SendError } from '../../error.ts';
import { SPENT } from '../read.ts';
import { apart } from './apart.ts';
import { nonceAfter } from './known.ts';
import { isPublic, isSpent, withFate } from './left-behind.ts';
import { current } from './replace.ts';
import { attemptsOf } from './rows.ts';
import { several } from './several.ts';
import { gapsCost } from './spending.ts';
import type { EvmRow, Work } from './work.ts';

type Hex = `0x${string}`;

/** The transaction that the chain has with the nonce of a send. */
export type Found =
  /** `authorized`: the next nonce of the account that the transaction authorized for. */
  | { is: 'ours'; attempt: SendAttempt; receipt: EvmReceipt; error: SendError | null; authorized: number | null }
  /** `isSure`: every endpoint said so. */
  | { is: 'another'; isSure: boolean };

/** `attempts`: all of the send. `gaps`: the paymaster's cost of filling gaps before the send. */
export type Looked = { send: EvmRow; found: Found; attempts: readonly SendAttempt[]; gaps: bigint };

async function whatFailed(work: Work, send: EvmRow, { hash }: EvmReceipt, attempts: readonly SendAttempt[]): Promise<SendError> {
  const { node, read } = work;
  const told = await evmFailureOf(node, read, send.organizationId, { transaction: hash }, 'the transaction reverted');
  if (await isSpent(work, send)) return { ...told, ...plainFailure(`${SPENT} (${told.message})`) };
  return isPublic(send, attempts, work.clock.now()) ? withFate(told, 'public') : told;
}

/** Looks for each attempt, the newest first. */
async function lookUp(work: Work, send: EvmRow, all: readonly SendAttempt[]): Promise<Found> {
  let isSure = true;
  for (const attempt of current(send, all).toReversed()) {
    const { value, answered, endpoints }: LookUp<EvmReceipt> = await work.node.receipt(attempt.hash as Hex);
    if (value === undefined) isSure &&= answered === endpoints;
    else {
      const failed = attempt.purpose === 'send' && !value.succeeded;
      const error = failed ? await whatFailed(work, send, value, all) : null;
      const authorized = send.state === 'sent' ? await nonceAfter(work, send, attempt, value) : null;
      return { is: 'ours', attempt, receipt: value, error, authorized };
    }
  }
  return { is: 'another', isSure };
}

/** Looks all up together. Sends in trouble are left out. */
export async function lookUpAll(work: Work, sends: readonly EvmRow[]): Promise<Looked[]> {
  const attempts = await attemptsOf(work, sends);
  const looked = await several(sends, (send) =>
    apart(work, send, async (): Promise<Looked> => {
      const own = attempts.get(send.id) ?? [];
      const found = await lookUp(work, send, own);
      return { send, found, attempts: own, gaps: await gapsCost(work, send, own) };
    }),
  );
  return looked.filter((one) => one !== undefined);
}
