import type { Certain } from '../../../../../domain/velocity/settle.ts';
import { hasMessage, NEVER, type SendAttempt } from '../../../../../model/send.ts';
import { mapConcurrently } from '../../../map-concurrently.ts';
import { isGone } from '../attempts/message-fate.ts';
import { withBackoff } from '../backoff.ts';
import { BATCH, type EvmRow, type OnChain } from '../parts.ts';
import { evmRow } from '../rows.ts';
import { transition } from '../states.ts';
import { type Doubts, failedForAll, mayAgree, paidForAll } from './agreed.ts';
import { type ReceiptWriter, writeReceipts } from './write.ts';

/** Whether the block of an included send is in the chain. Undefined: no endpoint knows. */
export async function isInChain(
  { node }: Pick<OnChain, 'node'>,
  { blockNumber, blockHash }: Pick<EvmRow, 'blockNumber' | 'blockHash'>,
): Promise<boolean | undefined> {
  const { value, answered, endpoints } = await node.block(BigInt(blockNumber!));
  if (value === undefined) return answered === endpoints ? false : undefined;
  return value.hash === blockHash;
}

/** The sends whose block is in the chain. Each block is asked for once. */
async function inChain(receipts: ReceiptWriter & OnChain, sends: readonly EvmRow[]): Promise<EvmRow[]> {
  const blocks = new Map(sends.map((send) => [send.blockHash, send]));
  const answers = await mapConcurrently(
    [...blocks],
    async ([hash, send]) => [hash, await withBackoff(receipts, send, () => isInChain(receipts, send))] as const,
  );
  const isIn = new Map(answers);
  return sends.filter(({ blockHash }) => isIn.get(blockHash) === true);
}

type Ending = ReceiptWriter & OnChain & Doubts;

/** Whether nothing can carry out a failed send, by every endpoint. 'open': they differ, and may agree. Undefined: it has not failed. */
async function gone(ending: Ending, send: EvmRow, attempts: readonly SendAttempt[]): Promise<boolean | 'open' | undefined> {
  if (send.error === null) return undefined;
  if (await (hasMessage(send) ? isGone : failedForAll)(ending, send, attempts)) return true;
  return mayAgree(ending, send, attempts) ? 'open' : false;
}

/** The certain facts about a send that ends, for what it counted. Undefined: they may be known soon. */
async function certainOf(ending: Ending, send: EvmRow): Promise<Certain | undefined> {
  if (send.intent.reserves === undefined) return {};
  const { sendAttempts, velocityCounters } = ending.read;
  const attempts = await sendAttempts.ofSend(send.organizationId, send.id);
  const isGone = await gone(ending, send, attempts);
  if (isGone === 'open') return undefined;
  const entries = await velocityCounters.open(send.organizationId, send.activityId);
  const paid = entries.some(({ fee }) => fee !== '0') ? await paidForAll(ending, send, attempts) : undefined;
  return paid === 'open' ? undefined : { isGone, paid };
}

/** Sends in final blocks become final. Returns whether there was one. */
export async function finalize(receipts: Ending): Promise<boolean> {
  const { read, key, chain, claimed } = receipts;
  const [oldest] = await read.sendsOfAccount.byNonce(key, 'included', { limit: 1 });
  if (oldest === undefined) return false;
  const finalized = await chain.finalized();
  if (BigInt(oldest.blockNumber!) > finalized) return false;
  let happened = false;
  for (let more = true; more && !claimed.signal.aborted; ) {
    const sends = (await read.sendsOfAccount.byNonce(key, 'included', { limit: BATCH })).map(evmRow);
    const old = sends.filter(({ blockNumber }) => BigInt(blockNumber!) <= finalized);
    const judged = await mapConcurrently(await inChain(receipts, old), async (send) => {
      const certain = await certainOf(receipts, send);
      return certain === undefined ? [] : [{ send, certain }];
    });
    const wrote = await writeReceipts(receipts, judged.flat(), async ({ tx, now }, { send, certain }) => {
      await transition(tx, send, 'finalized', { dueAt: NEVER }, now, certain);
    });
    happened ||= wrote;
    more = wrote && old.length === BATCH;
  }
  return happened;
}
