import type { SendAttempt } from '../../../../../model/send.ts';
import type { EvmReceipt } from '../../../../nodes/evm/values.ts';
import type { LookUp } from '../../../../nodes/types.ts';
import { evmFailureOf, plainFailure, type SendError } from '../../../error.ts';
import { mapConcurrently } from '../../../map-concurrently.ts';
import { SPENT } from '../../read.ts';
import { isPublic, isSpent, withFate } from '../attempts/message-fate.ts';
import { gapsCost } from '../attempts/spending.ts';
import { type Backoff, withBackoff } from '../backoff.ts';
import { nonceAfterAuthorization } from '../nonces/authorized.ts';
import type { EvmRow, OnChain, Rows } from '../parts.ts';
import { attemptsOf, current } from '../rows.ts';
import { isInChain } from './final.ts';

type Hex = `0x${string}`;

/** The transaction that the chain has with the nonce of a send. */
export type MinedWithNonce =
  /** `authorized`: the next nonce of the account that the transaction authorized for. */
  | { is: 'ours'; attempt: SendAttempt; receipt: EvmReceipt; error: SendError | null; authorized: number | null }
  /** `isSure`: every endpoint said so. */
  | { is: 'another'; isSure: boolean };

/** A send whose receipts were asked for. `attempts`: all of the send. `gaps`: the paymaster's cost of filling gaps before the send. */
export type LookedUp = { send: EvmRow; mined: MinedWithNonce; attempts: readonly SendAttempt[]; gaps: bigint };

type Asked = Pick<OnChain, 'node'> & Pick<Rows, 'read' | 'clock'>;

async function whyReverted(
  asked: Asked,
  send: EvmRow,
  { hash }: EvmReceipt,
  attempts: readonly SendAttempt[],
): Promise<SendError> {
  const { node, read, clock } = asked;
  const told = await evmFailureOf(node, read, send.organizationId, { transaction: hash }, 'the transaction reverted');
  if (await isSpent(asked, send)) return { ...told, ...plainFailure(`${SPENT} (${told.message})`) };
  return isPublic(send, attempts, clock.now()) ? withFate(told, 'public') : told;
}

const onChain = ({ blockNumber, blockHash }: EvmReceipt) => ({ blockNumber: Number(blockNumber), blockHash });

/** Looks for each attempt, the newest first. */
async function lookUp(asked: Asked, send: EvmRow, all: readonly SendAttempt[]): Promise<MinedWithNonce> {
  let isSure = true;
  for (const attempt of current(send, all).toReversed()) {
    const { value, answered, endpoints }: LookUp<EvmReceipt> = await asked.node.receipt(attempt.hash as Hex);
    if (value === undefined) isSure &&= answered === endpoints;
    // An endpoint on a branch that the chain has left may know the cancellation, and the chain the payment.
    else if (attempt.purpose === 'cancel' && !(await isInChain(asked, onChain(value)))) isSure = false;
    else {
      const failed = attempt.purpose === 'send' && !value.succeeded;
      const error = failed ? await whyReverted(asked, send, value, all) : null;
      const authorized = send.state === 'sent' ? await nonceAfterAuthorization(asked, send, attempt, value) : null;
      return { is: 'ours', attempt, receipt: value, error, authorized };
    }
  }
  return { is: 'another', isSure };
}

/** Looks all up together. Sends whose look-up fails are left out. */
export async function lookUpAll(asked: Asked & Backoff, sends: readonly EvmRow[]): Promise<LookedUp[]> {
  const attempts = await attemptsOf(asked, sends);
  const found = await mapConcurrently(sends, (send) =>
    withBackoff(asked, send, async (): Promise<LookedUp> => {
      const own = attempts.get(send.id) ?? [];
      const mined = await lookUp(asked, send, own);
      return { send, mined, attempts: own, gaps: await gapsCost(asked, send, own) };
    }),
  );
  return found.filter((one) => one !== undefined);
}
