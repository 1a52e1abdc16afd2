import type { Log } from '../../../../../engine/ports.ts';
import { type AccountKey, hasMessage } from '../../../../../model/send.ts';
import { costOf } from '../../../../nodes/evm/values.ts';
import { RpcError } from '../../../../nodes/types.ts';
import { plainFailure, type SendError } from '../../../error.ts';
import { mapConcurrently } from '../../../map-concurrently.ts';
import { SPENT } from '../../read.ts';
import { fateOf, isGone, type MessageFate, voidsMessage, withFate } from '../attempts/message-fate.ts';
import { withBackoff } from '../backoff.ts';
import type { EvmRow, OnChain } from '../parts.ts';
import { cancelled, endMessage, evmRow, fail, isCancelled } from '../rows.ts';
import { transition } from '../states.ts';
import { type Doubts, isUsedForAll, MARGIN, mayAgree } from './agreed.ts';
import type { LookedUp } from './look-up.ts';
import { type ReceiptWriter, type Settling, writeReceipts } from './write.ts';

type Hex = `0x${string}`;

/**
 * The chain's state of a nonce that another transaction used. `head`: the latest block. `nonce`: the account's next nonce in the
 * final block.
 */
type UsedNonce = { head: bigint; finalized: bigint; nonce: number | undefined };

async function usedNonceOf({ node, chain }: OnChain, { account }: AccountKey): Promise<UsedNonce> {
  // Asked now, so that it is no block from before the nonce was used.
  const { value } = await node.block('latest');
  const finalized = await chain.finalized();
  const [head, nonce] = await Promise.all([
    value?.number ?? chain.head(),
    node.nonce(account as Hex, finalized < 0n ? 0n : finalized).then(Number, (error) => {
      if (error instanceof RpcError) return undefined;
      throw error;
    }),
  ]);
  return { head, finalized, nonce };
}

/**
 * Whether the nonce was used for good. Where blocks are final immediately, receipts may come a moment later, or only the endpoint's
 * other machine has them. So this number of blocks is always waited for.
 */
const isUsedForGood = ({ head, finalized, nonce }: UsedNonce, seenAt: number, own: number): boolean =>
  BigInt(seenAt) <= finalized &&
  BigInt(seenAt) + MARGIN <= head &&
  (nonce === undefined ? BigInt(seenAt) + MARGIN <= finalized : nonce > own);

type Lost = LookedUp & { fate: MessageFate; isGone: boolean };

/** A transaction that arrived signed, or whose nonce its caller gave, has no other nonce. */
const isGiven = ({ intent: { form, nonce } }: EvmRow): boolean => form === 'raw' || (nonce !== null && form !== 'sponsored');

/** The original of a copied database may have sent it again, with a nonce that is not known here. */
const lostInCopy = ({ account, nonce }: EvmRow, is: 'ours' | 'another'): SendError =>
  plainFailure(
    `${is === 'ours' ? 'another transaction' : 'a transaction that this instance does not know'} used the nonce ${nonce} of ${account}. ` +
      'The send is older than this copy of the database. It is never sent again, since the original may have done that',
  );

/** The error that a send ends with. Undefined: it gets another nonce. */
function endOf({ send, mined, fate, attempts }: Lost, copiedAt: number): SendError | undefined {
  if (isCancelled(send)) {
    // Its message may be voided with another nonce, once.
    const isLeft = fate === 'public' && !isGiven(send) && !attempts.some(voidsMessage);
    return isLeft ? undefined : withFate(cancelled(send), fate);
  }
  const { error, nonce, account } = send;
  if (error === null && isGiven(send))
    return withFate(plainFailure(`another transaction of ${account} with the nonce ${nonce} is in a block`), fate);
  if (error === null && send.createdAt < copiedAt) return withFate(lostInCopy(send, mined.is), fate);
  // Signing another message could carry the calls out twice.
  return error ?? (fate === 'spent' ? plainFailure(SPENT) : undefined);
}

type InfoLog = Pick<Log, 'info' | 'warn'>;
type Told = Doubts & { log: InfoLog };

/** None of its attempts can land any more. It is signed again, with another nonce. */
async function requeue(log: InfoLog, { tx, row, now, costs }: Settling, { send, mined, fate }: Lost): Promise<void> {
  // A message that others may still bring keeps its nonce, so that it is carried out at most once.
  const messageNonce = fate === 'public' ? send.messageNonce : null;
  const queued = { nonce: null, messageNonce, hash: '', blockNumber: null, blockHash: '', dueAt: now };
  const spent = mined.is === 'ours' ? { spent: String(BigInt(send.spent) + costOf(mined.receipt)) } : {};
  const again = await transition(tx, send, 'lost its nonce', { ...queued, ...spent }, now);
  costs.push({ send: again, units: 0n, isOver: false });
  await endMessage(tx, send, row);
  const fields = { caip2: row.caip2, account: row.account, sendId: send.id, nonce: send.nonce };
  if (mined.is === 'ours') log.info(fields, 'a send made way, or its message is voided: it is sent with another nonce');
  else log.warn(fields, 'another transaction of this account had the nonce of a send: it is sent with another one');
}

/** Another transaction has the send's nonce. That is settled once the block in which it was seen is final. */
async function settleUsed(
  told: Told,
  settling: Settling,
  lost: Lost,
  { used, copiedAt }: { used: UsedNonce; copiedAt: number },
): Promise<void> {
  const { send, mined, gaps } = lost;
  const { tx, row, now, costs } = settling;
  if (send.blockNumber === null) {
    await transition(tx, send, 'nonce used', { blockNumber: Number(used.head) }, now);
    return;
  }
  const isSure = mined.is === 'ours' ? mined.attempt.purpose === 'cancel' : mined.isSure;
  if (!isSure || !isUsedForGood(used, send.blockNumber, send.nonce!)) return;
  const error = endOf(lost, copiedAt);
  // What it counted is given back only if all endpoints agree. They may soon. Its calls must not be signed again meanwhile, apart
  // from a message, which is carried out once.
  const waits = error !== undefined || !hasMessage(send);
  if (waits && !lost.isGone && mayAgree(told, send, lost.attempts)) return;
  if (gaps > 0n) settling.gaps.push(gaps);
  if (error === undefined) return requeue(told.log, settling, lost);
  // The transaction that cancelled it had a cost too.
  const units = mined.is === 'ours' ? costOf(mined.receipt) : 0n;
  costs.push({ send: await fail(tx, send, 'lost', error, row, now, lost.isGone), units, isOver: true });
}

async function withMessageFate(on: OnChain & Pick<ReceiptWriter, 'clock'>, lookedUp: LookedUp): Promise<Lost> {
  const { send, mined, attempts } = lookedUp;
  if (!hasMessage(send)) {
    const isGone = send.intent.reserves === undefined || (send.blockNumber !== null && (await isUsedForAll(on, send, attempts)));
    return { ...lookedUp, fate: 'safe', isGone };
  }
  const landed = mined.is === 'ours' && mined.receipt.succeeded ? mined.attempt : undefined;
  const fate = await fateOf(on, send, attempts, landed);
  return { ...lookedUp, fate, isGone: send.intent.reserves === undefined || (await isGone(on, send, attempts)) };
}

/** Settles sends whose nonce another transaction has, or had when it was last looked at. */
export async function settleLost(receipts: ReceiptWriter & OnChain & Told, lookedUp: readonly LookedUp[]): Promise<void> {
  if (lookedUp.length === 0) return;
  const used = await usedNonceOf(receipts, receipts.key);
  const { copiedAt } = receipts.claimed;
  const lost = await mapConcurrently(lookedUp, (one) => withBackoff(receipts, one.send, () => withMessageFate(receipts, one)));
  const settled = lost.filter((one) => one !== undefined);
  await writeReceipts(receipts, settled, async (settling, one) => {
    const { organizationId, id } = one.send;
    const seen = evmRow((await settling.tx.sends.get(organizationId, id))!);
    if (seen.state === 'sent') await settleUsed(receipts, settling, { ...one, send: seen }, { used, copiedAt });
  });
}
