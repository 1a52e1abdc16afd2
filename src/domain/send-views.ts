import { decodeCall } from '../chains/ethereum/abi.ts';
import type { Roots } from '../engine/activity/declare.ts';
import { parseCaip2 } from '../model/caip2.ts';
import type { Send, StoredCall, StoredFees } from '../model/send.ts';
import { interfacesOf } from './interfaces.ts';
import { SIGNER_ROOTS, unknownRoots, type ViewContext, viewOfSigner } from './policy-view.ts';
import { evmIntentOf, type SendSubject } from './send-wishes.ts';

/** The roots that a send may show. */
export const SEND_ROOTS = [...SIGNER_ROOTS, 'eth.tx'] as const;

/** What a replacement pays is not known before it is made, unless it is given: reading it is an error of evaluation. */
function feesOf(fees: StoredFees | undefined, sponsored: boolean): object {
  if (sponsored) return { gas_price: 0n, max_fee_per_gas: 0n, max_priority_fee_per_gas: 0n };
  if (fees === undefined) return {};
  if ('gasPrice' in fees) return { gas_price: BigInt(fees.gasPrice), max_fee_per_gas: 0n, max_priority_fee_per_gas: 0n };
  const [most, tip] = [BigInt(fees.maxFeePerGas), BigInt(fees.maxPriorityFeePerGas)];
  return { gas_price: most, max_fee_per_gas: most, max_priority_fee_per_gas: tip };
}

type Shown = { send: Send; call: StoredCall; fees: StoredFees | undefined; interfaceText: string | undefined };

/** A transaction that is not signed yet: its nonce is there once it has one. */
function transactionOf({ send, call, fees, interfaceText }: Shown): Roots {
  const intent = evmIntentOf(send)!;
  const network = parseCaip2(send.caip2);
  const data = call.data as `0x${string}`;
  const nonce = send.nonce ?? intent.nonce;
  const view = {
    type: 'TYPE_2',
    from: send.fromAddress,
    to: call.to,
    data,
    value: BigInt(call.value),
    chain_id: network?.kind === 'eip155' ? network.chainId : 0n,
    ...(intent.gas === null ? {} : { gas: send.sponsored ? 0n : BigInt(intent.gas) }),
    ...(nonce === null ? {} : { nonce: BigInt(nonce) }),
    ...feesOf(fees, send.sponsored),
    max_fee_per_blob_gas: 0n,
    access_list: [],
    blob_versioned_hashes: [],
    authorization_list: [],
    function_signature: data.length >= 10 ? data.slice(0, 10) : '',
    ...decodeCall(data, interfaceText),
  };
  return { 'eth.tx': () => view };
}

/** What policies see of a send whose transaction is replaced. `calls`: of the replacement. */
export async function replacementViews(
  ctx: ViewContext,
  subject: SendSubject,
  replacement: { calls: readonly StoredCall[]; fees: StoredFees | undefined } | undefined,
): Promise<Roots[]> {
  if (subject === undefined) return [unknownRoots(...SEND_ROOTS)];
  const { send, signer } = subject;
  const roots = await viewOfSigner(ctx, signer);
  if (replacement === undefined) return [roots];
  const { calls, fees } = replacement;
  const type = 'SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM';
  const to = [...new Set(calls.map((call) => call.to).filter((address) => address !== ''))];
  const interfaces = await interfacesOf(ctx.read, ctx.organization.id, type, to);
  return calls.map((call) => ({ ...roots, ...transactionOf({ send, call, fees, interfaceText: interfaces.get(call.to) }) }));
}
