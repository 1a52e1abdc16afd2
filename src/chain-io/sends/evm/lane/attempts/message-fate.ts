import { MESSAGE_NONCE_SLOT, messageNonce as nonceAt } from '../../../../../chains/ethereum/delegation.ts';
import { BURNING } from '../../../../../chains/ethereum/gas-station.ts';
import { readSignedTransaction } from '../../../../../chains/ethereum/signed-transaction.ts';
import { hasMessage, type SendAttempt } from '../../../../../model/send.ts';
import { plainFailure, type SendError } from '../../../error.ts';
import { SPENT } from '../../read.ts';
import { MESSAGE_SECONDS } from '../../sign.ts';
import type { EvmRow, OnChain, Rows } from '../parts.ts';

type Hex = `0x${string}`;

/**
 * The fate of a message whose transaction did not carry it out:
 * - `safe`: no other party has it, or it has expired.
 * - `void`: its nonce was burned.
 * - `spent`: its nonce was used otherwise, such as by the message itself.
 * - `public`: any party that saw it can bring it.
 */
export type MessageFate = 'safe' | 'void' | 'spent' | 'public';

/** Blocks may be a little behind our clock. */
const LATE_MS = 60_000;

/** Whether an attempt spends the nonce of its send's message. */
export function voidsMessage({ purpose, signed }: Pick<SendAttempt, 'purpose' | 'signed'>): boolean {
  return purpose === 'cancel' && readSignedTransaction(signed).fields.data.startsWith(BURNING);
}

/** Whether another party may have an unexpired message of the send. `attempts`: all of the send. */
export function isPublic({ messageNonce, intent }: EvmRow, attempts: readonly SendAttempt[], now: number): boolean {
  const out = attempts.filter(({ purpose, mayBeSent }) => purpose === 'send' && mayBeSent);
  if (messageNonce === null || out.length === 0) return false;
  const ends = intent.deadline ?? Math.max(...out.map(({ createdAt }) => createdAt)) / 1000 + Number(MESSAGE_SECONDS);
  return now <= Number(ends) * 1000 + LATE_MS;
}

/**
 * Whether the message's nonce is spent: any party that sees a message may bring it first. If a node does not answer, the question
 * stays open.
 */
export async function isSpent({ node }: Pick<OnChain, 'node'>, { fromAddress, messageNonce }: EvmRow): Promise<boolean> {
  if (messageNonce === null) return false;
  const word = await node.storage(fromAddress as Hex, MESSAGE_NONCE_SLOT).catch(() => undefined);
  return word !== undefined && nonceAt(word) > BigInt(messageNonce);
}

/** `landed`: the attempt that is in a block and succeeded. */
export async function fateOf(
  on: Pick<OnChain, 'node'> & Pick<Rows, 'clock'>,
  send: EvmRow,
  attempts: readonly SendAttempt[],
  landed: SendAttempt | undefined,
): Promise<MessageFate> {
  const wasOut = attempts.some(({ purpose, mayBeSent }) => purpose === 'send' && mayBeSent);
  if (!wasOut) return 'safe';
  if (await isSpent(on, send)) return landed !== undefined && voidsMessage(landed) ? 'void' : 'spent';
  return isPublic(send, attempts, on.clock.now()) ? 'public' : 'safe';
}

/** When the last of its messages expires, in Unix seconds. Undefined: none was signed. */
function expiryOf({ intent }: EvmRow, attempts: readonly SendAttempt[]): bigint | undefined {
  const signed = attempts.filter(({ purpose }) => purpose === 'send').map(({ createdAt }) => createdAt);
  if (signed.length === 0) return undefined;
  return intent.deadline === null ? BigInt(Math.ceil(Math.max(...signed) / 1000)) + MESSAGE_SECONDS : BigInt(intent.deadline);
}

/** Whether the last message of a send has expired, by our clock. */
export function hasExpired(send: EvmRow, attempts: readonly SendAttempt[], now: number): boolean {
  const ends = expiryOf(send, attempts);
  return ends === undefined || Number(ends) * 1000 < now;
}

/**
 * Whether nothing of the send can be carried out any more, given that its own transactions cannot. A message must have expired by the
 * time of the final block of every endpoint, unused there. Where nodes have no state of it any more, a later block tells that. Nodes
 * that refused it have seen it. The authorization of a void may have had no effect.
 */
export async function isGone(
  { node, chain }: Pick<OnChain, 'node' | 'chain'>,
  send: EvmRow,
  attempts: readonly SendAttempt[],
): Promise<boolean> {
  const { messageNonce, fromAddress } = send;
  if (!hasMessage(send)) return true;
  const ends = expiryOf(send, attempts);
  if (ends === undefined) return true;
  // With another nonce it had another message, of which nothing is known here.
  if (messageNonce === null || attempts.some(({ purpose, nonce }) => purpose === 'send' && nonce !== send.nonce)) return false;
  const [at, kept] = await Promise.all([chain.finalForAll(), chain.keptForAll()]);
  if (at === undefined) return false;
  const { block, storage } = node.everyone;
  const wordsAt = (which: bigint) => storage(fromAddress as Hex, MESSAGE_NONCE_SLOT, which);
  const [blocks, there] = await Promise.all([block(at), wordsAt(at)]);
  const words = there ?? (kept !== undefined && kept > at ? await wordsAt(kept) : undefined);
  const isExpired = blocks?.every((value) => value !== undefined && value.timestamp > ends) === true;
  return isExpired && words?.every((word) => nonceAt(word) <= BigInt(messageNonce)) === true;
}

const CAN_BRING = 'Until its deadline, any party that saw its message can still bring it to the account';

/** The error of a send, with the fate of its message. */
export function withFate(error: SendError, fate: MessageFate): SendError {
  if (fate === 'spent') return { ...error, ...plainFailure(`${error.message}; but ${SPENT}`) };
  if (fate === 'public') return { ...error, ...plainFailure(`${error.message}. ${CAN_BRING}`) };
  return error;
}
