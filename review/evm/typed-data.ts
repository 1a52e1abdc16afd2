import { HEX_ADDRESS, toChecksumAddress } from '../../src/chains/ethereum/address.ts';
import { type HashBudget, readTypedData, type TypedStruct, type TypedValue } from '../../src/chains/ethereum/eip712.ts';
import { typedDataTransfers } from '../../src/chains/ethereum/typed-data-transfers.ts';
import type { Transfer } from '../../src/chains/shared/transfers.ts';
import { chainOf, evmCoin, evmNetworkName } from '../amounts.ts';
import { grouped } from '../grouped.ts';
import { assetOf, toFacts, tokenAmount, valueFact } from '../moves.ts';
import { fact, type Given, type Read } from '../parts.ts';
import type { Call, Fact, Warning } from '../types.ts';
import { callOf } from './call.ts';
import { REFUND, UNLIMITED } from './dangers.ts';

const unreadable = (why: string) => new Error(why);

/** Ten years, in seconds: what is valid for longer does not expire. */
const LONG = 315_576_000n;

function kindOf(value: TypedValue): Fact['kind'] {
  if (typeof value === 'bigint') return 'number';
  const text = String(value);
  return HEX_ADDRESS.test(text) ? 'address' : /^0x(?:[0-9a-f]{2})*$/.test(text) ? 'hex' : 'text';
}

/** Names of amounts, in messages of tokens and wallets. */
const AMOUNTS = /(?:amount|value)(?:\[\d+\])?$/i;

/** Each value of the message by its path. */
function* factsOf(value: TypedValue, path: string): Generator<Fact> {
  if (typeof value !== 'object') {
    const kind = kindOf(value);
    const shown = typeof value === 'bigint' && AMOUNTS.test(path) ? grouped(String(value)) : String(value);
    yield fact(path, kind === 'address' ? toChecksumAddress(shown) : shown, kind);
  } else if (Array.isArray(value)) {
    if (value.length === 0) yield fact(path, '(empty)', 'text');
    for (const [i, each] of value.entries()) yield* factsOf(each, `${path}[${i}]`);
  } else for (const [name, each] of Object.entries(value)) yield* factsOf(each, path === '' ? name : `${path}.${name}`);
}

/** The transaction that a message of Safe approves. */
function safeCall({ to, value, data, operation }: TypedStruct, chainId: bigint, given: Given): Call[] {
  if (typeof to !== 'string' || !HEX_ADDRESS.test(to) || typeof value !== 'bigint' || typeof data !== 'string') return [];
  const reading = { coin: evmCoin(chainId), address: toChecksumAddress, interfaces: given.contractInterfaces };
  return [callOf({ to, value, data, isDelegate: operation !== 0n }, reading)];
}

/** The title does not say it. */
const safeValue = (value: bigint, chainId: bigint): Fact => ({
  ...valueFact('value', value, evmCoin(chainId)),
  ...(value > 0n && { main: true }),
});

const address = (text: string | undefined): string =>
  text === undefined ? 'an account that it does not name' : HEX_ADDRESS.test(text) ? toChecksumAddress(text) : text;

function permitWarnings({ amount, repeats, recipient, validity, asset }: Transfer, nowSeconds: bigint): Warning[] {
  const found: Warning[] = [];
  if (repeats || amount >= UNLIMITED)
    found.push({
      code: 'unlimited-approval',
      level: 'red',
      text: `${address(recipient)} may take all tokens of ${address(asset.token)}`,
    });
  const { before } = validity;
  if (before === undefined || before === 0n || before > nowSeconds + LONG)
    found.push({ code: 'no-expiry', level: 'red', text: `The permission of ${address(recipient)} does not expire` });
  return found;
}

/** A message of typed data, whatever it says. Throws if it is none. */
export function readTyped(text: string, from: string, given: Given, budget: HashBudget): Read {
  const { primaryType, domain, message, encodedType } = readTypedData(text, unreadable, budget);
  const { chainId, verifyingContract } = domain;
  const warnings: Warning[] = [];
  const known = typeof chainId === 'bigint' && chainId > 0n ? chainId : undefined;
  if (known === undefined)
    warnings.push({
      code: 'no-chain',
      level: 'red',
      text: 'The domain names no chain, so the signature may be used on every chain',
    });
  if (typeof verifyingContract !== 'string' || verifyingContract === '')
    warnings.push({ code: 'no-contract', level: 'amber', text: 'The domain names no contract' });
  const { transfers, unreadable: unread } = typedDataTransfers(text, from, budget);
  const permits = transfers.filter(({ asset }) => asset.standard !== 'native');
  for (const permit of permits) warnings.push(...permitWarnings(permit, BigInt(given.timestampMs || '0') / 1000n));
  const calls = encodedType.startsWith('SafeTx(') ? safeCall(message, known ?? 0n, given) : [];
  if (calls.length > 0 && message.gasPrice !== 0n) warnings.push({ code: 'refund', level: 'red', text: REFUND });
  if (unread.length > 0 && calls.length === 0)
    warnings.push({
      code: 'unknown-typed-data',
      level: 'red',
      text: `Messages of the type ${primaryType} are not known: what it allows is up to the contract`,
    });
  const chain = chainOf(known ?? 0n);
  const facts = [
    ...permits.flatMap(({ amount, recipient, asset: { token } }) => [
      fact('may take', address(recipient), 'address', { main: true }),
      tokenAmount('amount', amount, assetOf(chain, token), given.tokens),
      fact('token contract', address(token), 'address'),
    ]),
    ...toFacts(calls),
    ...(calls.length > 0 ? [safeValue(message.value as bigint, known ?? 0n)] : []),
    fact('message', primaryType, 'text'),
    ...(known === undefined ? [] : [fact('network', evmNetworkName(known), 'text')]),
    ...factsOf(domain, 'domain'),
    ...factsOf(message, 'message'),
  ];
  const [permit] = permits;
  const title =
    permit === undefined
      ? `Sign the message ${primaryType}`
      : `Let ${address(permit.recipient)} take tokens of ${address(permit.asset.token)}`;
  return { title, form: 'typed-data', chain, facts, calls, warnings };
}
