import { BURNING, burnNonce } from '../../../chains/ethereum/gas-station.ts';
import { unknownRoots, type ViewContext, viewOfSigner } from '../../../domain/policies/policy-view.ts';
import { evmIntentOf, type SendSubject } from '../../../domain/sends/send-wishes.ts';
import type { Roots } from '../../../engine/activity/declare.ts';
import type { EvmIntent, Send, SendWish, StoredFees } from '../../../model/send.ts';
import { feesOf, VOID_GAS } from './fees.ts';
import { SEND_ROOTS, type Seen, viewsOf } from './view.ts';

type Hex = `0x${string}`;

/** Without `fees`, the fees are unknown: reading them is an error of evaluation. */
export type Replacement = { what: SendWish['what']; fees: StoredFees | undefined };

type Evm = { send: Send; intent: EvmIntent; fees: StoredFees | undefined };

/** The same transaction with other fees. */
function sameAgain({ send, intent, fees }: Evm): Omit<Seen, 'signer'> {
  const { form, calls, gas, delegate } = intent;
  const nonce = form === 'sponsored' ? intent.nonce : (send.nonce?.toString() ?? intent.nonce);
  return {
    isReplacement: true,
    request: { form: form as 'call', from: send.fromAddress, caip2: send.caip2, calls, ...(nonce === null ? {} : { nonce }) },
    filled: {
      gas: gas === null ? undefined : BigInt(gas),
      fees: fees && feesOf(fees),
      contracts: delegate === undefined ? undefined : { delegate: delegate as Hex },
    },
  };
}

/**
 * The transaction that voids a message. The account signs that its message's nonce is spent, and authorizes its delegate if it
 * must. Its data comes without the signature, as nothing is signed yet. Before the message has a nonce, the data is the function's
 * selector alone.
 */
function voiding(evm: Evm): Omit<Seen, 'signer'> {
  const { send, intent } = evm;
  const data = send.messageNonce === null ? BURNING : burnNonce(new Uint8Array(), BigInt(send.messageNonce));
  const calls = [{ to: send.fromAddress, value: '0', data }];
  return sameAgain({ ...evm, intent: { ...intent, calls, gas: String(VOID_GAS) } });
}

/** The transaction that takes the nonce: from the payer to itself, with no effect. */
function nothing({ send: { account, caip2, nonce } }: Evm): Omit<Seen, 'signer'> {
  const calls = [{ to: account, value: '0', data: '0x' }];
  return { request: { form: 'call', from: account, caip2, calls, ...(nonce === null ? {} : { nonce: String(nonce) }) } };
}

/**
 * The policies' view of a send and of the transaction that replaces its own. There is none on Solana, nor for raising the fees of a
 * transaction that arrived signed.
 */
export async function replacementViews(
  ctx: ViewContext,
  subject: SendSubject,
  { what, fees }: Replacement,
): Promise<readonly Roots[]> {
  if (subject === undefined) return [unknownRoots(...SEND_ROOTS)];
  const { send, signer } = subject;
  const intent = evmIntentOf(send);
  const isRefused = intent?.form === 'raw' && what === 'speed-up';
  if (intent === undefined || isRefused) return [await viewOfSigner(ctx, signer)];
  const evm = { send, intent, fees };
  if (what === 'speed-up') return viewsOf(ctx, { signer, ...sameAgain(evm) });
  // Signing decides which of the two it is.
  const hasMessage = intent.form === 'batch' || intent.form === 'sponsored';
  const all = hasMessage ? [voiding(evm), nothing(evm)] : [nothing(evm)];
  return (await Promise.all(all.map((one) => viewsOf(ctx, { signer, ...one })))).flat();
}
