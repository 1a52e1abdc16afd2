import { base58 } from '@scure/base';
import { sameBytes } from '../../base/bytes.ts';
import { readTransaction } from '../../chains/solana/wire.ts';
import type { Send, SendAttempt } from '../../model/send.ts';
import type { BlockHeights } from '../../nodes/solana/agree.ts';
import type { SolanaStatus } from '../../nodes/solana/values.ts';
import type { Given } from './deliver.ts';
import { intentOf, isNowhere, type Work } from './work.ts';

/** A blockhash is over when the chain's final block is so many after the last that it counts for: endpoints behind one name may differ. */
const GRACE_BLOCKS = 32n;
/** About ten minutes: by then, one endpoint that answers will do to say that it did not land. */
const LONG_BLOCKS = 1_500n;
/** However many blocks there seem to be. */
const LONG_MS = 600_000;

/**
 * - `dead`: it never lands, by every endpoint. It may be signed anew.
 * - `failed`: so it is by those that answer, after a long time. It is never signed anew.
 * - `again`: it may land. `unsure`: nothing is to be done but to look again.
 */
export type Outcome = { is: 'landed'; status: SolanaStatus } | { is: 'dead' | 'failed' | 'again' | 'unsure' | 'nonce is back' };

type Asked = Pick<Work, 'node' | 'clock'>;

export const blockhashIn = ({ signed }: SendAttempt): Uint8Array => readTransaction(signed).message.blockhash;

/** The least height counts: no endpoint alone may say that it is over. */
export const isPast = ({ lastValidBlockHeight: last }: SendAttempt, { least }: BlockHeights): boolean =>
  last !== null && least > BigInt(last) + GRACE_BLOCKS;

export const isOld = ({ clock }: Asked, { createdAt }: SendAttempt): boolean => clock.now() - createdAt >= LONG_MS;

/** The nonce stands 40 bytes into a nonce account, after its version, its state and its authority. */
const NONCE_AT = 40;

/** So many endpoints that show another nonce are believed against a single one that stands still or lies. */
const ENOUGH = 2;

/** Whether the durable nonce of a transaction was used, by it or by another one: every endpoint that answers says so, or all but one. */
async function isNonceUsed({ node }: Asked, send: Send, nonce: Uint8Array): Promise<{ isUsed: boolean; isAll: boolean }> {
  const { values, isAll } = await node.accounts(intentOf(send).nonceAccount!);
  const known = values.filter((account) => account !== undefined);
  const have = known.filter(({ data }) => sameBytes(data.subarray(NONCE_AT, NONCE_AT + 32), nonce)).length;
  return { isUsed: have === 0 || (have === 1 && known.length - have >= ENOUGH), isAll: isAll && have === 0 };
}

/** `counts`: some endpoint still takes its blockhash. `isNonceThere`: its durable nonce may still be used. `isAll`: no endpoint contradicts, and all were asked. */
export type Refusal = { counts: boolean; isNonceThere: boolean; isAll: boolean };

/** Whether endpoints take it any more. With a blockhash of the chain it may land whatever nonce account its first instruction names. */
export async function refusalOf(work: Asked, send: Send, attempt: SendAttempt): Promise<Refusal> {
  const blockhash = blockhashIn(attempt);
  const nonce = intentOf(send).blockhash === 'nonce' ? await isNonceUsed(work, send, blockhash) : undefined;
  if (nonce?.isUsed === false) return { counts: true, isNonceThere: true, isAll: nonce.isAll };
  const { isValid, isAll } = await work.node.blockhashCounts(base58.encode(blockhash));
  return { counts: isValid, isNonceThere: false, isAll: isAll && nonce?.isAll !== false };
}

/**
 * What becomes of a transaction whose blockhash seems to be over. The final height is known before, and whether endpoints take it is asked before
 * they are asked for it: what landed until then is found.
 */
export async function outcomeOf(work: Asked, given: Given, heights: BlockHeights): Promise<Outcome> {
  const { send, attempt } = given;
  const { counts, isNonceThere, isAll } = await refusalOf(work, send, attempt);
  const [found] = await work.node.statuses([attempt.hash], { history: true });
  if (found?.value !== undefined) return { is: 'landed', status: found.value };
  const isPastNow = isPast(attempt, heights);
  if (isNonceThere) return { is: 'nonce is back' };
  const isLost = found !== undefined && isNowhere(found);
  const isDead = isLost && !counts && isAll;
  if (isDead && heights.isAll && isPastNow) return { is: 'dead' };
  const isLongPast = heights.sure > BigInt(attempt.lastValidBlockHeight!) + LONG_BLOCKS;
  if (isOld(work, attempt) && (isDead || (isLongPast && found !== undefined && found.answered > 0))) return { is: 'failed' };
  // That its nonce was used says nothing of a blockhash of the chain.
  const mayLand = !isPastNow || (counts && intentOf(send).blockhash === 'nonce');
  return { is: mayLand ? 'again' : 'unsure' };
}
