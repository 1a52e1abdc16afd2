import { hexBytes, toHex } from '../../base/bytes.ts';
import { tokenCall } from '../ethereum/token-calls.ts';
import { fromBase58check, toBase58check } from '../shared/base58check.ts';
import {
  ANY,
  type Asset,
  fee,
  joined,
  moved,
  ONCE,
  type Reading,
  readingOf,
  type Transfer,
  unread,
} from '../shared/transfers.ts';
import { readRaw } from './transaction.ts';

const assetOf = (standard: 'native' | 'trc20' | 'trc10', token = ''): Asset => ({
  namespace: 'tron',
  chain: ANY,
  standard,
  token,
});
const trx = assetOf('native');

type Call = {
  owner_address: string;
  contract_address: string;
  call_value: bigint;
  data: string;
  call_token_value: bigint;
  token_id: bigint;
};
type Payment = { owner_address: string; to_address: string; amount: bigint };

const hexOf = (address: string): string => `0x${toHex(fromBase58check(address).subarray(1))}`;
const textOf = (address: string): string => toBase58check(0x41, hexBytes(address.slice(2)));

function paid(asset: Asset, from: string, recipient: string, amount: bigint): Transfer {
  return { asset, kind: 'transfer', from, recipient, amount: from === recipient ? 0n : amount, ...ONCE };
}

function callTransfers({ owner_address: from, contract_address: to, data, ...call }: Call): Reading {
  const values = moved(
    paid(trx, from, to, call.call_value),
    paid(assetOf('trc10', String(call.token_id)), from, to, call.call_token_value),
  );
  if (data === '') return values;
  const caller = hexOf(from);
  const taken = tokenCall(`0x${data}`, caller);
  if (taken === undefined) {
    const why = `0x${data.slice(0, 8)} at ${to} is no call that can be read`;
    return joined([values, unread({ ...assetOf('trc20', to), cause: 'call', why })]);
  }
  const kept = taken.filter(({ kind, recipient }) => kind !== 'transfer' || recipient !== caller);
  const tokens = kept.map(({ token, recipient, ...rest }) => ({
    ...rest,
    from,
    recipient: textOf(recipient),
    asset: assetOf('trc20', token === undefined ? to : textOf(token)),
  }));
  return joined([values, moved(...tokens)]);
}

/**
 * What `raw_data` takes from the owner of its contract. That is the account that is spent, also if another key has a permission of it.
 * The fee is the limit for energy. What bandwidth, memos and new accounts cost is in no transaction.
 */
export const transfers = (bytes: Uint8Array): Reading =>
  readingOf('tron', () => {
    const { contract, fee_limit } = readRaw(bytes);
    const [{ type, ...message }] = contract as [{ type: string; owner_address: string }];
    const charged = moved(fee(trx, message.owner_address, fee_limit as bigint));
    if (type === 'TriggerSmartContract') return joined([callTransfers(message as Call), charged]);
    if (type !== 'TransferContract')
      return joined([unread({ namespace: 'tron', chain: ANY, cause: 'call', why: `a ${type} is not read` }), charged]);
    const { owner_address: from, to_address: to, amount } = message as Payment;
    return joined([moved(paid(trx, from, to, amount)), charged]);
  });
