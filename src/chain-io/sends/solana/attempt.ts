import { setImmediate } from 'node:timers/promises';
import { failPoint } from '../../../base/fail-point.ts';
import { holdsSends } from '../../../domain/keys/frozen.ts';
import type { Send } from '../../../model/send.ts';
import type { SealedSigner, Writer } from '../../../store/types.ts';
import { plainFailure, type SendError } from '../error.ts';
import { sendOfSameTransaction } from '../same-transaction.ts';
import { type SolanaSigned, signSolana } from './sign.ts';
import { change, fail, intentOf, troubled, type Work } from './work.ts';

const SOON_MS = 400;
const LATER_MS = 30_000;

/** The blockhash to sign with, if not its own, and the last block for which it is valid. */
export type Lifetime = { blockhash: string | undefined; last: bigint | undefined };

/** The result for a send: its next transaction is stored, or it fails, or it is looked at later. */
export type Made = { send: Send } & (
  | { is: 'signed'; made: SolanaSigned; last: bigint | undefined }
  | { is: 'failed'; error: SendError; isGone?: boolean }
  | { is: 'later' }
);

/** The keys that sign; or why they do not. Undefined while one of them is frozen. */
export async function signersOf({ read }: Work, send: Send): Promise<SealedSigner[] | string | undefined> {
  const found: SealedSigner[] = [];
  for (const address of intentOf(send).signWiths) {
    const signer = await read.signers.find(send.organizationId, address);
    if (signer === undefined) return `its key was deleted: ${address}`;
    if (signer.signer.disabled) return `its key is disabled: ${address}`;
    if (await holdsSends(read, signer)) return undefined;
    found.push(signer);
  }
  return found;
}

async function signed(work: Work, send: Send, lifetimeOf: () => Promise<Lifetime>): Promise<Made> {
  const signers = await signersOf(work, send);
  if (signers === undefined) return { is: 'later', send };
  if (typeof signers === 'string') return { is: 'failed', send, error: plainFailure(signers) };
  const { blockhash, last } = await lifetimeOf();
  await setImmediate();
  await failPoint('before sign');
  const made = signSolana(work.tools, { intent: intentOf(send), sponsored: send.sponsored, signers, blockhash });
  await failPoint('after sign');
  return { is: 'signed', send, made, last };
}

/** Signs one send, and writes nothing. Its errors are logged, and it is tried again later: others are signed all the same. */
export async function sign(work: Work, send: Send, lifetimeOf: () => Promise<Lifetime>): Promise<Made> {
  try {
    return await signed(work, send, lifetimeOf);
  } catch (error) {
    troubled(work, send, error);
    return { is: 'later', send };
  }
}

/** Stores the result for a send, as its attempt of this number. */
export async function store(tx: Writer, work: Work, one: Made, number: number): Promise<void> {
  const { clock, memory } = work;
  const { send } = one;
  if (one.is === 'failed') return fail(tx, work, send, one.error, one.isGone);
  if (one.is === 'later') return change(tx, work, send, { dueAt: clock.now() + LATER_MS });
  const { id: sendId, organizationId } = send;
  const { hash, signed } = one.made;
  const same = await sendOfSameTransaction(tx, send, hash);
  if (same !== undefined && intentOf(send).blockhash === 'chosen') {
    memory.clashes.set(sendId, true);
    return change(tx, work, send, { dueAt: clock.now() + SOON_MS });
  }
  if (same !== undefined)
    return fail(tx, work, send, plainFailure(`this very transaction was sent before, as ${same}: give it another blockhash`));
  memory.clashes.delete(sendId);
  await tx.sendAttempts.insert({
    organizationId,
    sendId,
    number,
    purpose: 'send',
    nonce: null,
    signed,
    hash,
    fees: null,
    mayBeSent: false,
    said: '',
    lastValidBlockHeight: one.last === undefined ? null : Number(one.last),
    createdAt: clock.now(),
  });
  await change(tx, work, send, { state: number === 1 ? 'signed' : 'sent', hash, dueAt: clock.now() });
}
