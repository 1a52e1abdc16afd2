import { MESSAGE_NONCE_SLOT, messageNonce as nonceAt } from '../../../chains/ethereum/delegation.ts';
import { NEVER, type SendAccount, type SendAttempt, type SendChange } from '../../../model/send.ts';
import type { EvmReceipt } from '../../../nodes/evm/values.ts';
import { type LookUp, RpcError } from '../../../nodes/types.ts';
import type { Writer } from '../../../store/types.ts';
import { evmFailureOf, plainFailure, type SendError } from '../../error.ts';
import { apart } from './apart.ts';
import { current } from './replace.ts';
import { attemptsOf, cancelled, change, evmRow, fail, messageOver } from './rows.ts';
import { several } from './several.ts';
import { BATCH, type EvmRow, SHARE, type Work } from './work.ts';
import { type Settling, write } from './write.ts';

type Hex = `0x${string}`;

/** What the chain has with the nonce of a send. */
type Found =
  | { is: 'ours'; attempt: SendAttempt; receipt: EvmReceipt; error: SendError | null }
  /** `isSure`: every endpoint said so. */
  | { is: 'another'; isSure: boolean };

/** Whoever sees a message may bring it first: then ours fails, and what it says has happened. */
async function isSpent({ node }: Work, { fromAddress, messageNonce }: EvmRow): Promise<boolean> {
  if (messageNonce === null) return false;
  const word = await node.storage(fromAddress as Hex, MESSAGE_NONCE_SLOT).catch(() => undefined);
  return word !== undefined && nonceAt(word) > BigInt(messageNonce);
}

const SPENT =
  'its message was brought before by somebody else, or its nonce was spent otherwise: the calls may have been carried out, so look before you send them again';

async function whatFailed(work: Work, send: EvmRow, { hash }: EvmReceipt): Promise<SendError> {
  const { node, read } = work;
  const told = await evmFailureOf(node, read, send.organizationId, { transaction: hash }, 'the transaction reverted');
  return (await isSpent(work, send)) ? { ...told, ...plainFailure(`${SPENT} (${told.message})`) } : told;
}

/** Looks for each attempt: the newest first. */
async function lookUp(work: Work, send: EvmRow, attempts: readonly SendAttempt[]): Promise<Found> {
  let isSure = true;
  for (const attempt of current(send, attempts).toReversed()) {
    const { value, answered, endpoints }: LookUp<EvmReceipt> = await work.node.receipt(attempt.hash as Hex);
    if (value === undefined) isSure &&= answered === endpoints;
    else {
      const failed = attempt.purpose === 'send' && !value.succeeded;
      return { is: 'ours', attempt, receipt: value, error: failed ? await whatFailed(work, send, value) : null };
    }
  }
  return { is: 'another', isSure };
}

const costOf = ({ gasUsed, effectiveGasPrice, dataFee }: EvmReceipt): bigint =>
  gasUsed * (effectiveGasPrice ?? 0n) + (dataFee ?? 0n);

type Looked = { send: EvmRow; found: Found };

/** Looks all up at once. Those in trouble are left out. */
async function lookUpAll(work: Work, sends: readonly EvmRow[]): Promise<Looked[]> {
  const attempts = await attemptsOf(work, sends);
  const looked = await several(sends, (send) =>
    apart(work, send, async (): Promise<Looked> => ({ send, found: await lookUp(work, send, attempts.get(send.id) ?? []) })),
  );
  return looked.filter((one) => one !== undefined);
}

/** What took the nonce of a send that used two uses one. Nothing is signed behind such a send. */
async function giveSecondBack(tx: Writer, row: SendAccount, { nonce, intent }: EvmRow): Promise<void> {
  const usesTwo = intent.form === 'undelegate' || intent.form === 'batch';
  if (!usesTwo || row.nextNonce !== nonce! + 2) return;
  for (const state of ['signed', 'sent'] as const)
    if ((await tx.sendLanes.byNonce(row, state, { from: nonce! + 1, limit: 1 })).length > 0) return;
  row.nextNonce = nonce! + 1;
  await tx.sendAccounts.change(row, { nextNonce: row.nextNonce });
}

/** One of ours is in a block. */
async function include({ tx, row, now, costs }: Settling, send: EvmRow, found: Found & { is: 'ours' }): Promise<void> {
  const { attempt, receipt, error } = found;
  const block = { blockNumber: Number(receipt.blockNumber), blockHash: receipt.blockHash };
  // The send itself is over when this block stays.
  if (attempt.purpose === 'cancel') {
    if (send.blockHash === block.blockHash) return;
    await change(tx, send, block, now);
    await giveSecondBack(tx, row, send);
    return;
  }
  const included = await change(
    tx,
    send,
    { state: 'included', hash: attempt.hash, error, wish: null, ...block, dueAt: now },
    now,
  );
  // It may only have come into another block.
  if (send.state !== 'included') await messageOver(tx, send, row);
  costs.push({ send: included, units: costOf(receipt) });
}

/** Since when a nonce is used up by another transaction, and up to which nonce that is so in a block that stays. */
type Used = { head: bigint; finalized: bigint; nonce: number | undefined };

async function usedOf({ node, chain, key }: Work): Promise<Used> {
  // Asked for now, so that it is no block from before the nonce was used.
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

/** How many blocks more are waited for: until receipts are everywhere, and until a block is final where no endpoint keeps its state. */
const MARGIN = 64n;

/**
 * A chain whose blocks are final at once has receipts a moment later, or the endpoint's other machine has: so many blocks are always waited for.
 */
const isOver = ({ head, finalized, nonce }: Used, seenAt: number, own: number): boolean =>
  BigInt(seenAt) <= finalized &&
  BigInt(seenAt) + MARGIN <= head &&
  (nonce === undefined ? BigInt(seenAt) + MARGIN <= finalized : nonce > own);

/** Another transaction has its nonce: for good, once the block in which that was seen stays. */
async function lose(work: Work, settling: Settling, { send, found }: Looked, used: Used) {
  const { tx, row, now, costs } = settling;
  if (send.blockNumber === null) {
    await change(tx, send, { blockNumber: Number(used.head) }, now);
    return;
  }
  const isSure = found.is === 'ours' ? found.attempt.purpose === 'cancel' : found.isSure;
  if (!isSure || !isOver(used, send.blockNumber, send.nonce!)) return;
  const isGiven = send.intent.form === 'raw' || (send.intent.nonce !== null && send.intent.form !== 'sponsored');
  if (send.wish?.what === 'cancel' || send.error !== null || isGiven) {
    const error = send.error ?? (send.wish?.what === 'cancel' ? withoutNonce(send) : usedUp(send));
    // What cancelled it had its price too.
    const units = found.is === 'ours' ? costOf(found.receipt) : 0n;
    costs.push({ send: await fail(tx, send, row, error, now), units });
    return;
  }
  // None of its attempts can land any more: it gets another nonce.
  const again: SendChange = {
    state: 'queued',
    nonce: null,
    messageNonce: null,
    hash: '',
    blockNumber: null,
    blockHash: '',
    dueAt: now,
  };
  await change(tx, send, again, now);
  await messageOver(tx, send, row);
  work.log.warn(
    { ...work.key, sendId: send.id, nonce: send.nonce },
    'somebody else sends from this account too, and had the nonce of a send: it is sent with another one',
  );
}

/** A transaction took the nonce of who pays. What the account signed for its delegate is public, and spends another nonce. */
function withoutNonce(send: EvmRow): SendError {
  const told = cancelled(send);
  if (send.messageNonce === null) return told;
  return plainFailure(`${told.message}. Until its deadline, whoever saw its message can still bring it to the account`);
}

const usedUp = ({ nonce, account }: EvmRow): SendError =>
  plainFailure(`another transaction of ${account} with the nonce ${nonce} is in a block`);

/** Sends whose nonce is used: receipts tell by which of their attempts. Gives whether one came into a block. */
async function includeBatch(work: Work, latest: number, from: number): Promise<{ happened: boolean; next: number | undefined }> {
  await work.pace.turn(work.claimed.signal);
  const sends = (await work.read.sendLanes.byNonce(work.key, 'sent', { from, below: latest, limit: BATCH })).map(evmRow);
  work.pace.did(sends.length * SHARE.settling);
  const all = await lookUpAll(work, sends);
  const ours = all.filter(({ found }) => found.is === 'ours');
  const happened = await write(work, ours, (settling, { send, found }) =>
    include(settling, send, found as Found & { is: 'ours' }),
  );
  const lost = all.filter(({ send, found }) => found.is === 'another' || send.blockNumber !== null);
  if (lost.length > 0) {
    const used = await usedOf(work);
    await write(work, lost, async (settling, { send, found }) => {
      const seen = evmRow((await settling.tx.sends.get(send.organizationId, send.id))!);
      if (seen.state !== 'sent') return;
      await lose(work, settling, { send: seen, found }, used);
    });
  }
  return { happened, next: sends.length === BATCH ? sends.at(-1)!.nonce! + 1 : undefined };
}

/** Looks for receipts of all sends whose nonce the chain has used. */
export async function findReceipts(work: Work, latest: number): Promise<boolean> {
  let happened = false;
  for (let from: number | undefined = 0; from !== undefined && !work.claimed.signal.aborted; ) {
    const found: Awaited<ReturnType<typeof includeBatch>> = await includeBatch(work, latest, from);
    happened ||= found.happened;
    from = found.next;
  }
  return happened;
}

/** Whether a block is in the chain. Undefined: no endpoint knows. */
async function stands({ node }: Work, { blockNumber, blockHash }: EvmRow): Promise<boolean | undefined> {
  const { value, answered, endpoints } = await node.block(BigInt(blockNumber!));
  if (value === undefined) return answered === endpoints ? false : undefined;
  return value.hash === blockHash;
}

/** Sends whose block fell out of the chain are out again, or in another block. The last ones first: blocks fall out from the end. */
export async function findReorganized(work: Work, latest: number): Promise<boolean> {
  const { read, key } = work;
  let happened = false;
  for (;;) {
    const [first] = (await read.sendLanes.lastByNonce(key, 'included', 1)).map(evmRow);
    if (first === undefined || (first.nonce! < latest && (await stands(work, first)) !== false)) return happened;
    const last = (await read.sendLanes.lastByNonce(key, 'included', BATCH)).map(evmRow);
    const found = await lookUpAll(work, last);
    const moved = found.filter(({ send, found: one }) => one.is !== 'ours' || one.receipt.blockHash !== send.blockHash);
    if (moved.length === 0) return happened;
    happened = await write(work, moved, async (settling, { send, found: one }) => {
      if (one.is === 'ours' && one.attempt.purpose === 'send') return include(settling, send, one);
      await fallOut(settling, send);
    });
    if (!happened || moved.length < last.length) return happened;
  }
}

async function fallOut({ tx, row, now }: Settling, send: EvmRow): Promise<void> {
  await change(tx, send, { state: 'sent', blockNumber: null, blockHash: '', error: null, dueAt: now }, now);
  if (send.messageNonce === null) return;
  const key = { caip2: send.caip2, account: send.fromAddress };
  if (send.fromAddress !== send.account) await tx.sendAccounts.lock({ ...key, kind: 'evm' });
  const authority = send.fromAddress === send.account ? row : (await tx.sendAccounts.get(key))!;
  // Its message is on its way again. Others of the account wait until it is in a block.
  const again = { messages: authority.messages + 1, messageLane: authority.messageLane || send.account };
  await tx.sendAccounts.change(authority, again);
  if (authority === row) Object.assign(row, again);
}

/** What is in blocks that stay is final. Gives whether one is. */
export async function finalize(work: Work): Promise<boolean> {
  const { read, key, chain } = work;
  const [oldest] = await read.sendLanes.byNonce(key, 'included', { limit: 1 });
  if (oldest === undefined) return false;
  const finalized = await chain.finalized();
  if (BigInt(oldest.blockNumber!) > finalized) return false;
  let happened = false;
  for (let more = true; more && !work.claimed.signal.aborted; ) {
    const sends = (await read.sendLanes.byNonce(key, 'included', { limit: BATCH })).map(evmRow);
    const old = sends.filter(({ blockNumber }) => BigInt(blockNumber!) <= finalized);
    const blocks = new Map(old.map((send) => [send.blockHash, send]));
    const standing = new Map(
      await several([...blocks], async ([hash, send]) => [hash, await apart(work, send, () => stands(work, send))] as const),
    );
    const stay = old.filter(({ blockHash }) => standing.get(blockHash) === true);
    const wrote = await write(
      work,
      stay.map((send) => ({ send })),
      async ({ tx, now }, { send }) => {
        await change(tx, send, { state: 'final', dueAt: NEVER }, now);
      },
    );
    happened ||= wrote;
    more = wrote && old.length === BATCH;
  }
  return happened;
}
