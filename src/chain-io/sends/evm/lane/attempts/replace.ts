import { holdsSends } from '../../../../../domain/keys/frozen.ts';
import type { SendAttempt } from '../../../../../model/send.ts';
import { storedFees } from '../../fees.ts';
import { readEvm } from '../../read.ts';
import { signEvm } from '../../sign.ts';
import { correctionFor } from '../nonces/authorized.ts';
import type { EvmRow, Ready, Signing } from '../parts.ts';
import { current } from '../rows.ts';
import { attemptAfter, type Cause, nextFees, storeAttempt, toolsFor } from './further-attempt.ts';

/** The same transaction with higher fees. Undefined if that is not possible now. `attempts`: all of the send. */
export async function replace(
  signing: Signing,
  send: EvmRow,
  attempts: readonly SendAttempt[],
  cause: Cause = send,
): Promise<Ready | undefined> {
  if (send.intent.form === 'raw') return undefined;
  const { node, clock } = signing;
  const fees = await nextFees(signing, { ...cause, intent: send.intent }, current(send, attempts));
  const tools = fees && (await toolsFor(signing, send));
  if (fees === undefined || tools === undefined || tools.signer === undefined) return undefined;
  if (await holdsSends(signing.read, tools.signer)) return undefined;
  const reading = await readEvm(node, send, clock.now(), correctionFor(signing, send));
  if (reading.is !== 'ready') return undefined;
  const { nonce } = send;
  const messageNonce = send.messageNonce === null ? null : BigInt(send.messageNonce);
  const signed = signEvm(tools, send, { nonce: BigInt(nonce!), fees, reading, messageNonce, now: clock.now() });
  const facts = { purpose: 'send', nonce, fees: storedFees(fees), createdAt: clock.now() } as const;
  return storeAttempt(signing, send, attemptAfter(attempts, send, signed, facts));
}
