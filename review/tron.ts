import { hexBytes, toHex } from '../src/base/bytes.ts';
import { fromBase58check, toBase58check } from '../src/chains/shared/base58check.ts';
import { readRaw } from '../src/chains/tron/transaction.ts';
import { TRX, whole } from './amounts.ts';
import { callOf } from './evm/call.ts';
import { titleOf } from './evm/titles.ts';
import { signedBy } from './evm/transaction.ts';
import { grouped } from './grouped.ts';
import { toFacts, valueFact } from './moves.ts';
import { fact, fieldsOf, type Given, type Read } from './parts.ts';
import type { Call, Warning } from './types.ts';

const hexOf = (address: string): string => `0x${toHex(fromBase58check(address).subarray(1))}`;
const textOf = (address: string): string => toBase58check(0x41, hexBytes(address.slice(2)));

type Contract = { readonly [field: string]: unknown } & { readonly type: string };

const text = (contract: Contract, name: string): string => (typeof contract[name] === 'string' ? (contract[name] as string) : '');
const number = (contract: Contract, name: string): bigint =>
  typeof contract[name] === 'bigint' ? (contract[name] as bigint) : 0n;

/** The call or payment of the contract. */
function callIn(contract: Contract, given: Given): Call | undefined {
  const reading = { coin: TRX, address: textOf, interfaces: given.contractInterfaces };
  if (contract.type === 'TransferContract')
    return callOf(
      { to: hexOf(text(contract, 'to_address')), value: number(contract, 'amount'), data: '0x', isDelegate: false },
      reading,
    );
  if (contract.type !== 'TriggerSmartContract') return undefined;
  const to = hexOf(text(contract, 'contract_address'));
  return callOf({ to, value: number(contract, 'call_value'), data: `0x${text(contract, 'data')}`, isDelegate: false }, reading);
}

const PERMISSIONS: Warning = {
  code: 'control',
  level: 'red',
  text: 'It replaces all permissions of the account: other keys may then spend everything',
};

/** The `raw_data` of a transaction. */
export function readTron(bytes: Uint8Array, signWith: string, given: Given): Read {
  const raw = readRaw(bytes);
  const contract = raw.contract[0] as Contract;
  const call = callIn(contract, given);
  const warnings: Warning[] = contract.type === 'AccountPermissionUpdateContract' ? [PERMISSIONS] : [];
  const tokens = number(contract, 'call_token_value');
  const unit = `smallest units of the TRC-10 token ${number(contract, 'token_id')}`;
  const trx = (label: string, amount: bigint) => fact(label, whole(amount, TRX.decimals), 'amount', { unit: TRX.unit });
  const rest =
    call === undefined
      ? [...fieldsOf(contract, '')].map(({ path, value }) => fact(path, value, /^T\w{33}$/.test(value) ? 'address' : 'text'))
      : [
          fact('from', text(contract, 'owner_address'), 'address'),
          ...toFacts([call]),
          valueFact('value', number(contract, 'amount') + number(contract, 'call_value'), TRX),
          ...(tokens === 0n
            ? []
            : [
                fact('recipient of the tokens', call.to, 'address', { main: true }),
                fact('tokens', grouped(String(tokens)), 'amount', { unit, main: true }),
              ]),
        ];
  const memo = typeof raw.data === 'string' && raw.data !== '' ? [fact('memo', `0x${raw.data}`, 'hex')] : [];
  const facts = [
    signedBy(signWith),
    fact('network', 'Tron; the bytes name no network', 'text'),
    ...rest,
    trx('fee for energy at most', typeof raw.fee_limit === 'bigint' ? raw.fee_limit : 0n),
    fact('expires', String(raw.expiration ?? ''), 'number', { unit: 'milliseconds since 1970' }),
    ...memo,
  ];
  const named = call === undefined ? { title: `${contract.type} on Tron`, form: 'other' as const } : titleOf([call]);
  const title = tokens === 0n ? named.title : `${named.title}, with ${grouped(String(tokens))} ${unit}`;
  return {
    ...named,
    chain: '',
    title,
    facts,
    calls: call === undefined ? [] : [call],
    warnings,
    elements: [[...fieldsOf(raw, 'tron.tx')]],
  };
}
