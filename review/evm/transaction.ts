import { HEX_ADDRESS, toChecksumAddress } from '../../src/chains/ethereum/address.ts';
import { readUnsigned, viewOf } from '../../src/chains/ethereum/transaction.ts';
import type { EthereumFields } from '../../src/chains/ethereum/transaction-fields.ts';
import { chainOf, evmCoin, evmNetworkName, whole } from '../amounts.ts';
import { toFacts, valueFact } from '../moves.ts';
import { fact, fieldsOf, type Given, type Read } from '../parts.ts';
import type { Fact, Warning } from '../types.ts';
import { callOf } from './call.ts';
import { titleOf } from './titles.ts';

const BLOB_GAS = 131_072n;

/** The most that the gas and the blobs cost. */
function greatestFee({ gas, gasPrice, maxFeePerGas, maxFeePerBlobGas = 0n, blobVersionedHashes = [] }: EthereumFields): bigint {
  return gas * (gasPrice ?? maxFeePerGas ?? 0n) + BLOB_GAS * BigInt(blobVersionedHashes.length) * maxFeePerBlobGas;
}

/** The account or key that signs, as the body names it. */
export const signedBy = (signWith: string): Fact =>
  HEX_ADDRESS.test(signWith)
    ? fact('signs with', toChecksumAddress(signWith), 'address')
    : fact('signs with', signWith, /^[0-9a-f-]{36}$/i.test(signWith) ? 'id' : 'address');

/** `from`: undefined if the body does not name the account. */
export const nonceFact = (nonce: string, from: string | undefined): Fact =>
  fact('nonce', nonce, 'number', {
    note: `It uses nonce ${nonce} of ${from === undefined ? 'the signing account' : toChecksumAddress(from)}; a rejected earlier nonce leaves later ones waiting`,
  });

const NO_CHAIN: Warning = {
  code: 'no-chain',
  level: 'red',
  text: 'It names no chain, so it can be sent on every chain',
};

export const delegation = (address: string, chainId: bigint): Warning => ({
  code: 'delegation',
  level: 'red',
  text: `The code of ${toChecksumAddress(address)} may run as the account${chainId === 0n ? ', on every chain' : ''}`,
});

/** What an EVM transaction says, signed or not. `from`: lower-case hex; undefined if the body does not name it. */
export function readFields(name: string, fields: EthereumFields, from: string | undefined, given: Given): Read {
  const { chainId = 0n, nonce, to, value, data, accessList = [], authorizationList = [] } = fields;
  const coin = evmCoin(chainId);
  const reading = { coin, address: toChecksumAddress, interfaces: given.contractInterfaces };
  const call = callOf({ to, value, data, isDelegate: false }, reading);
  const warnings = [
    ...(chainId === 0n ? [NO_CHAIN] : []),
    ...authorizationList.map(({ address, chain_id }) => delegation(address, chain_id)),
  ];
  if (from !== undefined && to === from && data !== '0x')
    warnings.push({ code: 'calls-itself', level: 'amber', text: 'The account calls itself: its own code runs, if it has any' });
  const facts = [
    fact('network', chainId === 0n ? 'every EVM chain' : evmNetworkName(chainId), 'text'),
    ...toFacts([call]),
    valueFact('value', value, coin),
    fact('fee at most', whole(greatestFee(fields), coin.decimals), 'amount', { unit: coin.unit }),
    nonceFact(String(nonce), from),
    ...accessList.map(({ address }) => fact('access list', toChecksumAddress(address), 'address')),
    ...authorizationList.map(({ address }) => fact('lets run as the account', toChecksumAddress(address), 'address')),
  ];
  const view = viewOf({ name, fields }, from ?? '', undefined);
  if (from === undefined) delete view.from;
  return {
    ...titleOf([call]),
    chain: chainOf(chainId),
    facts,
    calls: [call],
    warnings,
    elements: [[...fieldsOf(view, 'eth.tx')]],
  };
}

/** An unsigned transaction. Throws what the reader of the chain throws. */
export function readEthereum(bytes: Uint8Array, signWith: string, given: Given): Read {
  const { name, fields } = readUnsigned(bytes);
  const read = readFields(name, fields, HEX_ADDRESS.test(signWith) ? signWith.toLowerCase() : undefined, given);
  return { ...read, facts: [signedBy(signWith), ...read.facts] };
}
