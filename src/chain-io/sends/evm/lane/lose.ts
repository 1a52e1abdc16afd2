import type { SendAttempt } from '../../../../model/send.ts';
import { RpcError } from '../../../nodes/types.ts';
import { plainFailure, type SendError } from '../../error.ts';
import { SPENT } from '../read.ts';
import { apart } from './apart.ts';
import type { Looked } from './found.ts';
import { type Fate, fateOf, isVoid, withFate } from './left-behind.ts';
import { cancelled, evmRow, fail, messageOver } from './rows.ts';
import { several } from './several.ts';
import { costOf } from './spending.ts';
import { transition } from './states.ts';
import type { EvmRow, Work } from './work.ts';
import { type Settling, write } from './write.ts';

type Hex = `0x${string}`;

/**
 * The chain's state of a nonce that another transaction used. `head`: the latest block. `nonce`: the account's next nonce in the
 * final block.
 */
type Used = { head: bigint; finalized: bigint; nonce: number | undefined };

async function usedOf({ node, chain, key }: Work): Promise<Used> {
  // Asked now, so that it is no block from before the nonce was used.
  const { value } = await node.block('latest');
  const finalized = await chain.finalized();
  const [head, nonce] = await Promise.all([
    value?.number ?? chain.head(),
    node.nonce(key.account as Hex, finalized < 0n ? 0n : finalized).then(Number, (error) => {
      if (error instanceof RpcError) return undefined;
      throw error;
    }),
  ]);
  return { head, finalized, nonce };
}

/**
 * How many further blocks to wait until every endpoint has the receipts. Also how long until a block counts as final where no
 * endpoint keeps its state.
 */
const MARGIN = 64n;

/**
 * Where blocks are final immediately, receipts may come a moment later, or only the endpoint's other machine has them. So this
 * number of blocks is always waited for.
 */
const isOver = ({ head, finalized, nonce }: Used, seenAt: number, own: number): boolean =>
  BigInt(seenAt) <= finalized &&
  BigInt(seenAt) + MARGIN <= head &&
  (nonce === undefined ? BigInt(seenAt) + MARGIN <= finalized : nonce > own);

/** A transaction that arrived signed, or whose nonce its caller gave, has no other nonce. */
const isGiven = ({ intent: { form, nonce } }: EvmRow): boolean => form === 'raw' || (nonce !== null && form !== 'sponsored');

/** The error that a send ends with. Undefined: it gets another nonce. */
function endOf(send: EvmRow, fate: Fate, attempts: readonly SendAttempt[]): SendError | undefined {
  const { wish, error } = send;
  if (wish?.what === 'cancel') {
    // Its message may be voided with another nonce, once.
    const isLeft = fate === 'public' && !isGiven(send) && !attempts.some(isVoid);
    return isLeft ? undefined : withFate(cancelled(send), fate);
  }
  if (error === null && isGiven(send)) return withFate(usedUp(send), fate);
  // Signing another message could carry the calls out twice.
  return error ?? (fate === 'spent' ? plainFailure(SPENT) : undefined);
}

type Lost = Looked & { fate: Fate };

/** Another transaction has the send's nonce. That is settled once the block in which it was seen is final. */
async function lose(work: Work, settling: Settling, { send, found, fate, attempts, gaps }: Lost, used: Used) {
  const { tx, row, now, costs } = settling;
  if (send.blockNumber === null) {
    await transition(tx, send, 'nonce used', { blockNumber: Number(used.head) }, now);
    return;
  }
  const isSure = found.is === 'ours' ? found.attempt.purpose === 'cancel' : found.isSure;
  if (!isSure || !isOver(used, send.blockNumber, send.nonce!)) return;
  if (gaps > 0n) settling.gaps.push(gaps);
  const error = endOf(send, fate, attempts);
  if (error !== undefined) {
    // The transaction that cancelled it had a cost too.
    const units = found.is === 'ours' ? costOf(found.receipt) : 0n;
    costs.push({ send: await fail(tx, send, 'lost', error, row, now), units, isOver: true });
    return;
  }
  // None of its attempts can land any more. A message that others may still bring keeps its nonce, so that it is carried out at
  // most once.
  const messageNonce = fate === 'public' ? send.messageNonce : null;
  const again = { nonce: null, messageNonce, hash: '', blockNumber: null, blockHash: '', dueAt: now } as const;
  const spent = found.is === 'ours' ? { spent: String(BigInt(send.spent) + costOf(found.receipt)) } : {};
  costs.push({ send: await transition(tx, send, 'lost its nonce', { ...again, ...spent }, now), units: 0n, isOver: false });
  await messageOver(tx, send, row);
  const fields = { ...work.key, sendId: send.id, nonce: send.nonce };
  if (found.is === 'ours') work.log.info(fields, 'a send made way, or its message is voided: it is sent with another nonce');
  else work.log.warn(fields, 'another transaction of this account had the nonce of a send: it is sent with another one');
}

const usedUp = ({ nonce, account }: EvmRow): SendError =>
  plainFailure(`another transaction of ${account} with the nonce ${nonce} is in a block`);

async function lostOf(work: Work, looked: Looked): Promise<Lost> {
  const { send, found, attempts } = looked;
  if (send.messageNonce === null) return { ...looked, fate: 'safe' };
  const landed = found.is === 'ours' && found.receipt.succeeded ? found.attempt : undefined;
  return { ...looked, fate: await fateOf(work, send, attempts, landed) };
}

/** Settles sends whose nonce another transaction has, or had when it was last looked at. */
export async function settleLost(work: Work, looked: readonly Looked[]): Promise<void> {
  if (looked.length === 0) return;
  const used = await usedOf(work);
  const lost = await several(looked, (one) => apart(work, one.send, () => lostOf(work, one)));
  const known = lost.filter((one) => one !== undefined);
  await write(work, known, async (settling, one) => {
    const { organizationId, id } = one.send;
    const seen = evmRow((await settling.tx.sends.get(organizationId, id))!);
    if (seen.state === 'sent') await lose(work, settling, { ...one, send: seen }, used);
  });
}
