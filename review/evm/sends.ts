import { fromHex, hexBytes } from '../../src/base/bytes.ts';
import { HEX_ADDRESS, toChecksumAddress } from '../../src/chains/ethereum/address.ts';
import { readSignedTransaction } from '../../src/chains/ethereum/signed-transaction.ts';
import { chainIdOf, chainOf, evmCoin, evmNetworkName, whole } from '../amounts.ts';
import { toFacts, valueFact } from '../moves.ts';
import { fact, fieldsOf, type Given, listOf, member, type Parameters, type Read, textOf } from '../parts.ts';
import type { Fact, Warning } from '../types.ts';
import { callOf } from './call.ts';
import { titleOf } from './titles.ts';
import { nonceFact, readFields } from './transaction.ts';

type Sent = { to: string; value: bigint; data: string };

function sentCall(given: Parameters): Sent {
  const [to, value, data] = [textOf(given, 'to'), textOf(given, 'value') || '0', textOf(given, 'data').replace(/^0x/, '')];
  if (!/^0x[0-9a-fA-F]{40}$/.test(to)) throw new Error('a call names no address');
  if (!/^\d{1,78}$/.test(value)) throw new Error('the value of a call is not a whole number');
  if (fromHex(data) === undefined) throw new Error('the data of a call is not hex');
  return { to: to.toLowerCase(), value: BigInt(value), data: `0x${data.toLowerCase()}` };
}

const addressOf = (text: string): string | undefined => (HEX_ADDRESS.test(text) ? text.toLowerCase() : undefined);

function feeFacts(given: Parameters, coin: { unit: string; decimals: number }): Fact[] {
  const wei = (name: string) => textOf(given, name);
  const [gas, price] = [wei('gasLimit'), wei('maxFeePerGas')];
  const most =
    /^\d{1,39}$/.test(gas) && /^\d{1,39}$/.test(price)
      ? fact('fee at most', whole(BigInt(gas) * BigInt(price), coin.decimals), 'amount', { unit: coin.unit })
      : fact('fee', 'the price of the network, within the limits of the operator', 'text');
  const paid =
    member(given, 'sponsor') === true ? [fact('fee is paid by', 'the organization, as a sponsored send', 'text')] : [most];
  const rest = (['deadline', 'gasStationNonce'] as const).flatMap((name) =>
    wei(name) === '' ? [] : [fact(name === 'gasStationNonce' ? 'nonce of the message' : name, wei(name), 'number')],
  );
  const nonce = wei('nonce') === '' ? [] : [nonceFact(wei('nonce'), addressOf(wei('from')))];
  return [...paid, ...nonce, ...rest];
}

const DELEGATES: Warning = {
  code: 'may-delegate',
  level: 'amber',
  text: "The account may let the service's contract for batches run as the account, from now on",
};

/** One call or several, which the service builds into a transaction. */
export function readSend(given: Given): Read {
  const { parameters } = given;
  const [from, caip2] = [textOf(parameters, 'from'), textOf(parameters, 'caip2')];
  const chainId = chainIdOf(caip2);
  if (chainId === undefined) throw new Error('caip2 names no EVM chain');
  const coin = evmCoin(chainId);
  const listed = member(parameters, 'calls') === undefined ? [parameters] : (listOf(parameters, 'calls') as Parameters[]);
  const reading = { coin, address: toChecksumAddress, interfaces: given.contractInterfaces };
  const sent = listed.map(sentCall);
  const calls = sent.map((each) => callOf({ ...each, isDelegate: false }, reading));
  const total = sent.reduce((sum, { value }) => sum + value, 0n);
  const facts = [
    fact('from', from, 'address'),
    fact('network', evmNetworkName(chainId), 'text'),
    ...toFacts(calls),
    valueFact('value', total, coin),
    ...feeFacts(parameters, coin),
  ];
  const delegates = calls.length > 1 || member(parameters, 'sponsor') === true;
  const elements = sent.map(({ to, value, data }) => [
    ...fieldsOf({ from: from.toLowerCase(), to, value, data, chain_id: chainId }, 'eth.tx'),
  ]);
  return { ...titleOf(calls), chain: chainOf(chainId), facts, calls, warnings: delegates ? [DELEGATES] : [], elements };
}

export function readUndelegation({ parameters }: Given): Read {
  const chainId = chainIdOf(textOf(parameters, 'caip2'));
  if (chainId === undefined) throw new Error('caip2 names no EVM chain');
  const account = fact('account', textOf(parameters, 'from'), 'address');
  const facts = [account, fact('network', evmNetworkName(chainId), 'text'), ...feeFacts(parameters, evmCoin(chainId))];
  return { title: 'End the delegation of an account', form: 'other', facts };
}

/** A transaction that is signed already. */
export function readSigned(given: Given): Read {
  const hex = textOf(given.parameters, 'signedTransaction').replace(/^0x/, '').toLowerCase();
  const { name, fields, from } = readSignedTransaction(hexBytes(hex));
  const read = readFields(name, fields, from, given);
  return {
    ...read,
    title: `${read.title}, signed already`,
    facts: [fact('signed by', toChecksumAddress(from), 'address'), ...read.facts],
  };
}
