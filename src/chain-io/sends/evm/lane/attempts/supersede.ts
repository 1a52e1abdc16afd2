import type { SendAttempt } from '../../../../../model/send.ts';
import type { EvmFees } from '../../../../nodes/evm/fees.ts';
import { bound, dearest, feesOf, storedFees } from '../../fees.ts';
import { readVoid } from '../../read.ts';
import { type EvmSigned, signNoop, signVoid } from '../../sign.ts';
import { AUTHORIZING, correctionFor } from '../nonces/authorized.ts';
import { BATCH, type EvmRow, type Keys, type OnChain, type Ready, type Rows, type Signing } from '../parts.ts';
import { current, evmRow } from '../rows.ts';
import { attemptAfter, type Cause, nextFees, storeAttempt, toolsFor } from './further-attempt.ts';
import { isPublic, voidsMessage } from './message-fate.ts';
import { coversBaseFee } from './spending.ts';

type Hex = `0x${string}`;

/** A transaction of the send's account that does nothing but take a nonce. Undefined if its key is not here. */
export async function signedNoop(
  parts: Pick<Rows, 'read'> & Pick<OnChain, 'node'> & Keys,
  send: EvmRow,
  nonce: number,
  fees: EvmFees,
): Promise<EvmSigned | undefined> {
  const { caip2, account, sponsored } = send;
  const { vault, paymaster, node } = parts;
  // A transaction of the paymaster needs no key but the paymaster's.
  const tools = sponsored ? paymaster && { vault, signer: undefined, paymaster } : await toolsFor(parts, send);
  if (tools === undefined) return undefined;
  const isPlain = (await node.code(account as Hex)) === '0x';
  return signNoop(tools, { caip2, account, nonce: BigInt(nonce), fees, ...(isPlain ? { gas: 21_000n } : {}) });
}

/** Spends the nonce of a message that another party may have. Undefined if there is none, or if it is not possible now. */
async function signedVoid(
  signing: Signing,
  send: EvmRow,
  attempts: readonly SendAttempt[],
  fees: EvmFees,
): Promise<EvmSigned | undefined> {
  const mine = current(send, attempts);
  const now = signing.clock.now();
  // Nodes would refuse it again.
  if (!isPublic(send, attempts, now) || mine.some((one) => !one.mayBeSent && voidsMessage(one))) return undefined;
  const tools = await toolsFor(signing, send);
  const reading = tools?.signer && (await readVoid(signing.node, send, correctionFor(signing, send)));
  if (reading === undefined) return undefined;
  // Its account's authorization has the following nonce. That nonce belongs to another send unless it was taken for this.
  const isPair = mine.some(({ signed }) => signed[0] === AUTHORIZING);
  if (send.intent.form === 'batch' && !reading.delegated && !isPair) return undefined;
  const { messageNonce } = reading;
  return signVoid(tools!, send, { nonce: BigInt(send.nonce!), fees, reading, messageNonce, now });
}

/**
 * Another transaction takes the send's nonce. It voids the send's message or, if there is none to void, does nothing. Undefined if
 * that is not possible now.
 * - `most`: the highest price that it may pay so that others go on. The send then comes again later, and so does its message.
 * - `isNowhere`: no node knows the replaced transaction, so it need not be outbid.
 */
export async function supersede(
  signing: Signing,
  send: EvmRow,
  attempts: readonly SendAttempt[],
  { most, isNowhere = false, cause = send }: { most?: bigint; isNowhere?: boolean; cause?: Cause } = {},
): Promise<Ready | undefined> {
  const mine = current(send, attempts);
  const same = isNowhere ? dearest(mine)?.fees : undefined;
  const fees = (await nextFees(signing, { ...cause, intent: send.intent }, mine, most)) ?? (same ? feesOf(same) : undefined);
  if (fees === undefined) return undefined;
  const voids =
    most === undefined && !(isNowhere && mine.some(voidsMessage)) ? await signedVoid(signing, send, attempts, fees) : undefined;
  const signed = voids ?? (await signedNoop(signing, send, send.nonce!, fees));
  if (signed === undefined) return undefined;
  const facts = { purpose: 'cancel', nonce: send.nonce, fees: storedFees(fees), createdAt: signing.clock.now() } as const;
  return storeAttempt(signing, send, attemptAfter(attempts, send, signed, facts), cause);
}

/**
 * A sponsored send whose bound is below the current base fee blocks all sends that the same paymaster pays for. If one of those
 * behind it may pay more, a transaction that does nothing takes its nonce. The send itself gets another nonce once that transaction
 * is final.
 */
export async function makeWay(
  signing: Signing,
  send: EvmRow,
  attempts: readonly SendAttempt[],
  cause: Cause,
): Promise<Ready | undefined> {
  if (!send.sponsored) return undefined;
  const { read, key, clock, chain, settings } = signing;
  const behind = [
    ...(await read.sendsOfAccount.lastByNonce(key, 'sent', BATCH)).filter(({ nonce }) => nonce! > send.nonce!),
    ...(await read.sendsOfAccount.due(key, 'queued', clock.now(), BATCH)),
  ];
  const bounds = behind.map((one) => bound(evmRow(one).intent, null, settings));
  const most = bounds.reduce((dear, one) => (one > dear ? one : dear), 0n);
  if (!coversBaseFee(most, await chain.prices())) return undefined;
  return supersede(signing, send, attempts, { most, cause });
}
