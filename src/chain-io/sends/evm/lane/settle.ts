import { NEVER, type SendAttempt } from '../../../../model/send.ts';
import { apart } from './apart.ts';
import { type Found, type Looked, lookUpAll } from './found.ts';
import { AUTHORIZING } from './known.ts';
import { settleLost } from './lose.ts';
import { current } from './replace.ts';
import { evmRow, messageOver } from './rows.ts';
import { several } from './several.ts';
import { costOf, mostOut } from './spending.ts';
import { transition } from './states.ts';
import { BATCH, type EvmRow, SHARE, type Work } from './work.ts';
import { type Settling, write } from './write.ts';

/**
 * A send reserved two nonces, and the transaction that took its place used one. Gives the second back. Nothing is signed behind
 * such a send.
 */
async function giveSecondBack(
  { tx, row }: Pick<Settling, 'tx' | 'row'>,
  { nonce, intent }: EvmRow,
  { signed }: SendAttempt,
): Promise<void> {
  // A transaction that voids a message may bring the authorization itself.
  const usesTwo = (intent.form === 'undelegate' || intent.form === 'batch') && signed[0] !== AUTHORIZING;
  if (!usesTwo || row.nextNonce !== nonce! + 2) return;
  for (const state of ['signed', 'sent'] as const)
    if ((await tx.sendsOfAccount.byNonce(row, state, { from: nonce! + 1, limit: 1 })).length > 0) return;
  row.nextNonce = nonce! + 1;
  await tx.sendAccounts.change(row, { nextNonce: row.nextNonce });
}

/** Notes that a transaction of ours is in a block. */
async function include(settling: Settling, { send, gaps }: Looked, found: Found & { is: 'ours' }): Promise<void> {
  const { tx, row, now, costs } = settling;
  const { attempt, receipt, error, authorized } = found;
  const block = { blockNumber: Number(receipt.blockNumber), blockHash: receipt.blockHash };
  // The send itself ends when this block is final.
  if (attempt.purpose === 'cancel') {
    if (send.blockHash === block.blockHash) return;
    await transition(tx, send, 'superseding one mined', block, now);
    await giveSecondBack({ tx, row }, send, attempt);
    return;
  }
  const mined = { hash: attempt.hash, error, wish: null, ...block, dueAt: now };
  const included = await transition(tx, send, 'mined', mined, now);
  // It may only have moved to another block.
  if (send.state !== 'included') {
    const known = authorized === null ? undefined : { knownNonce: authorized, knownBlock: block.blockNumber };
    await messageOver(tx, send, row, known);
    if (gaps > 0n) settling.gaps.push(gaps);
  }
  costs.push({ send: included, units: costOf(receipt), isOver: true });
}

/** Sends whose nonce is used: receipts tell which of their attempts used it. Returns whether one came into a block. */
async function includeBatch(work: Work, latest: number, from: number): Promise<{ happened: boolean; next: number | undefined }> {
  await work.pace.turn(work.claimed.signal);
  const sends = (await work.read.sendsOfAccount.byNonce(work.key, 'sent', { from, below: latest, limit: BATCH })).map(evmRow);
  work.pace.did(sends.length * SHARE.settling);
  const all = await lookUpAll(work, sends);
  const ours = all.filter(({ found }) => found.is === 'ours');
  const happened = await write(work, ours, (settling, one) => include(settling, one, one.found as Found & { is: 'ours' }));
  const lost = all.filter(({ send, found }) => found.is === 'another' || send.blockNumber !== null);
  await settleLost(work, lost);
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

/**
 * Sends whose block was reorganized away are pending again, or in another block. The last ones come first: blocks fall out from the
 * end.
 */
export async function findReorganized(work: Work, latest: number): Promise<boolean> {
  const { read, key } = work;
  let happened = false;
  for (;;) {
    const [first] = (await read.sendsOfAccount.lastByNonce(key, 'included', 1)).map(evmRow);
    if (first === undefined || (first.nonce! < latest && (await stands(work, first)) !== false)) return happened;
    const last = (await read.sendsOfAccount.lastByNonce(key, 'included', BATCH)).map(evmRow);
    const found = await lookUpAll(work, last);
    const moved = found.filter(({ send, found: one }) => one.is !== 'ours' || one.receipt.blockHash !== send.blockHash);
    if (moved.length === 0) return happened;
    happened = await write(work, moved, async (settling, one) => {
      if (one.found.is === 'ours' && one.found.attempt.purpose === 'send') return include(settling, one, one.found);
      await fallOut(work, settling, one);
    });
    if (!happened || moved.length < last.length) return happened;
  }
}

async function fallOut(work: Work, { tx, row, now, costs }: Settling, { send, attempts }: Looked): Promise<void> {
  const pending = { blockNumber: null, blockHash: '', error: null, dueAt: now };
  const out = await transition(tx, send, 'reorganized', pending, now);
  // Another of its attempts may land now, and cost more than the one that was settled.
  costs.push({ send: out, units: mostOut(work, out, current(out, attempts)), isOver: false });
  if (send.messageNonce === null) return;
  const key = { caip2: send.caip2, account: send.fromAddress };
  if (send.fromAddress !== send.account) await tx.sendAccounts.lock({ ...key, kind: 'evm' });
  const authority = send.fromAddress === send.account ? row : (await tx.sendAccounts.get(key))!;
  // Its message is under way again. Other messages of the account wait until it is in a block.
  const again = {
    knownNonce: null,
    knownBlock: null,
    messages: authority.messages + 1,
    messageLane: authority.messageLane || send.account,
  };
  await tx.sendAccounts.change(authority, again);
  if (authority === row) Object.assign(row, again);
}

/** Sends in final blocks become final. Returns whether there was one. */
export async function finalize(work: Work): Promise<boolean> {
  const { read, key, chain } = work;
  const [oldest] = await read.sendsOfAccount.byNonce(key, 'included', { limit: 1 });
  if (oldest === undefined) return false;
  const finalized = await chain.finalized();
  if (BigInt(oldest.blockNumber!) > finalized) return false;
  let happened = false;
  for (let more = true; more && !work.claimed.signal.aborted; ) {
    const sends = (await read.sendsOfAccount.byNonce(key, 'included', { limit: BATCH })).map(evmRow);
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
        await transition(tx, send, 'finalized', { dueAt: NEVER }, now);
      },
    );
    happened ||= wrote;
    more = wrote && old.length === BATCH;
  }
  return happened;
}
