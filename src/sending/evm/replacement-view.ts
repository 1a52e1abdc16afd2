import { unknownRoots, type ViewContext, viewOfSigner } from '../../domain/policy-view.ts';
import { evmIntentOf, type SendSubject } from '../../domain/send-wishes.ts';
import type { Roots } from '../../engine/activity/declare.ts';
import type { EvmIntent, Send, SendWish, StoredFees } from '../../model/send.ts';
import { feesOf } from './fees.ts';
import { SEND_ROOTS, type Seen, viewsOf } from './view.ts';

type Hex = `0x${string}`;

/** Without `fees`, what it will pay is unknown: reading it is an error of evaluation. */
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

/** What takes the nonce: a transaction of whoever pays to themselves, which does nothing. */
function nothing({ send: { account, caip2, nonce } }: Evm): Omit<Seen, 'signer'> {
  const calls = [{ to: account, value: '0', data: '0x' }];
  return { request: { form: 'call', from: account, caip2, calls, ...(nonce === null ? {} : { nonce: String(nonce) }) } };
}

/** What policies see of a send and of the transaction that replaces its own. On Solana there is none, nor with other fees for what came signed. */
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
  return viewsOf(ctx, { signer, ...(what === 'cancel' ? nothing(evm) : sameAgain(evm)) });
}
