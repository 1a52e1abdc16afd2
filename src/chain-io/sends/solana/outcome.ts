import { base58 } from '@scure/base';
import { sameBytes } from '../../../base/bytes.ts';
import { readTransaction } from '../../../chains/solana/wire.ts';
import type { Send, SendAttempt } from '../../../model/send.ts';
import type { BlockHeights } from '../../nodes/solana/agree.ts';
import type { SolanaStatus } from '../../nodes/solana/values.ts';
import type { Given } from './deliver.ts';
import { intentOf, isNowhere, type Work } from './work.ts';

/**
 * A blockhash is expired when the chain's final block is this far after the blockhash's last block. Endpoints behind one name may
 * differ.
 */
const GRACE_BLOCKS = 32n;
/** About ten minutes. After that, one endpoint's answer is enough to say that it did not land. */
const LONG_BLOCKS = 1_500n;
/** The same in time, however many blocks there seem to be. */
const LONG_MS = 600_000;

/**
 * - `dead`: every endpoint says that it never lands. It may be signed anew.
 * - `failed`: the endpoints that answer say so, after a long time. It is never signed anew.
 * - `again`: it may land.
 * - `unsure`: only look again.
 */
export type Outcome = { is: 'landed'; status: SolanaStatus } | { is: 'dead' | 'failed' | 'again' | 'unsure' | 'nonce is back' };

type Asked = Pick<Work, 'node' | 'clock'>;

const blockhashIn = ({ signed }: SendAttempt): Uint8Array => readTransaction(signed).message.blockhash;

/** The least height counts: no endpoint alone may say that it is expired. */
export const isPast = ({ lastValidBlockHeight: last }: SendAttempt, { least }: BlockHeights): boolean =>
  last !== null && least > BigInt(last) + GRACE_BLOCKS;

export const isOld = ({ clock }: Asked, { createdAt }: SendAttempt): boolean => clock.now() - createdAt >= LONG_MS;

/** The offset of the nonce in a nonce account, after its version, its state and its authority. */
const NONCE_AT = 40;

/** This many endpoints that show another nonce are believed against a single one that is stale or lies. */
const ENOUGH = 2;

/**
 * Whether the durable nonce of a transaction was used, by it or by another one. Every endpoint that answers must say so, or all but
 * one.
 */
async function isNonceUsed({ node }: Asked, send: Send, nonce: Uint8Array): Promise<{ isUsed: boolean; isAll: boolean }> {
  const { values, isAll } = await node.accounts(intentOf(send).nonceAccount!);
  const known = values.filter((account) => account !== undefined);
  const have = known.filter(({ data }) => sameBytes(data.subarray(NONCE_AT, NONCE_AT + 32), nonce)).length;
  return { isUsed: have === 0 || (have === 1 && known.length - have >= ENOUGH), isAll: isAll && have === 0 };
}

/**
 * `counts`: some endpoint still takes its blockhash. `isNonceThere`: its durable nonce may still be used. `isAll`: no endpoint
 * contradicts, and all were asked.
 */
export type Refusal = { counts: boolean; isNonceThere: boolean; isAll: boolean };

/** Whether endpoints still take it. With a blockhash of the chain it may land whatever nonce account its first instruction names. */
export async function refusalOf(work: Asked, send: Send, attempt: SendAttempt): Promise<Refusal> {
  const blockhash = blockhashIn(attempt);
  const nonce = intentOf(send).blockhash === 'nonce' ? await isNonceUsed(work, send, blockhash) : undefined;
  if (nonce?.isUsed === false) return { counts: true, isNonceThere: true, isAll: nonce.isAll };
  const { isValid, isAll } = await work.node.blockhashCounts(base58.encode(blockhash));
  return { counts: isValid, isNonceThere: false, isAll: isAll && nonce?.isAll !== false };
}

/**
 * The outcome of a transaction whose blockhash seems to be expired. The order matters. The final height is known before. Then
 * endpoints are asked whether they take the transaction, and only then for the transaction itself. So a transaction that landed
 * meanwhile is found.
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
  // A used nonce says nothing about a blockhash of the chain.
  const mayLand = !isPastNow || (counts && intentOf(send).blockhash === 'nonce');
  return { is: mayLand ? 'again' : 'unsure' };
}
