import { HEX_ADDRESS, toChecksumAddress } from '../src/chains/ethereum/address.ts';
import { readUnsigned } from '../src/chains/tempo/transaction.ts';
import { chainOf, evmCoin, evmNetworkName } from './amounts.ts';
import { callOf } from './evm/call.ts';
import { titleOf } from './evm/titles.ts';
import { signedBy } from './evm/transaction.ts';
import { grouped } from './grouped.ts';
import { toFacts } from './moves.ts';
import { fact, fieldsOf, type Given, type Read } from './parts.ts';

/** Gas is priced in 10^-18 USD. */
const feeOf = (gas: bigint, price: bigint): string => String((gas * price + 10n ** 12n - 1n) / 10n ** 12n);

/** A transaction of Tempo, whose fee is paid in a token. */
export function readTempo(bytes: Uint8Array, signWith: string, given: Given): Read {
  const { view, isSponsored } = readUnsigned(bytes);
  const from = HEX_ADDRESS.test(signWith) ? { from: signWith.toLowerCase() } : {};
  const reading = { coin: evmCoin(view.chain_id), address: toChecksumAddress, interfaces: given.contractInterfaces };
  const calls = view.calls.map(({ to, value, input }) => callOf({ to, value, data: input, isDelegate: false }, reading));
  const { fee_token: token, valid_before: before, valid_after: after } = view;
  const facts = [
    signedBy(signWith),
    fact('network', evmNetworkName(view.chain_id), 'text'),
    ...toFacts(calls),
    isSponsored
      ? fact('fee is paid by', 'another account, which signs afterwards', 'text')
      : fact('fee at most', grouped(feeOf(view.gas_limit, view.max_fee_per_gas)), 'amount', {
          unit: token === '' ? 'smallest units of a token that is not named' : `smallest units of ${toChecksumAddress(token)}`,
        }),
    fact('nonce', String(view.nonce), 'number'),
    ...(after === 0n ? [] : [fact('valid after', String(after), 'number', { unit: 'seconds since 1970' })]),
    ...(before === 0n ? [] : [fact('valid before', String(before), 'number', { unit: 'seconds since 1970' })]),
  ];
  return {
    ...titleOf(calls),
    chain: chainOf(view.chain_id),
    facts,
    calls,
    elements: [[...fieldsOf({ ...view, ...from }, 'tempo.tx')]],
  };
}
