import { HEX_ADDRESS } from '../src/chains/ethereum/address.ts';
import { type HashBudget, hashBudget } from '../src/chains/ethereum/eip712.ts';
import { parseAuthorization } from '../src/chains/ethereum/eip7702.ts';
import { TYPED_DATA } from '../src/chains/shared/payload.ts';
import { PAYLOAD_ROOTS, payloadView } from '../src/chains/shared/policy-view.ts';
import { evmNetworkName } from './amounts.ts';
import { delegation, signedBy } from './evm/transaction.ts';
import { readTyped } from './evm/typed-data.ts';
import { movedFacts } from './moves.ts';
import { fact, fieldsOf, type Given, listOf, member, type Read, textOf } from './parts.ts';
import type { Fact, Field, Warning } from './types.ts';

const RAW: Warning = {
  code: 'raw',
  level: 'red',
  text: 'Not decoded: it may be the digest of any transaction or message',
};

function viewsOf(payload: string, encoding: string, budget: HashBudget): Field[] {
  const views = payloadView(payload, encoding, budget);
  return PAYLOAD_ROOTS.flatMap((root) => {
    const value = views[root]?.();
    return value === undefined ? [] : [...fieldsOf(value, root)];
  });
}

function readAuthorization(payload: string): Read {
  const { chainId, address, nonce } = parseAuthorization(payload, (why) => new Error(why));
  const isEnd = /^0x0{40}$/.test(address);
  return {
    title: isEnd ? 'End the delegation of the account' : 'Let other code run as the account',
    form: 'typed-data',
    facts: [
      fact('lets run as the account', address, 'address'),
      fact('network', chainId === 0n ? 'every EVM chain' : evmNetworkName(chainId), 'text'),
      fact('nonce', String(nonce), 'number'),
    ],
    warnings: isEnd ? [] : [delegation(address, chainId)],
  };
}

type Shared = { encoding: string; from: string; budget: HashBudget };

function readOne(payload: string, { encoding, from, budget }: Shared, given: Given): Read {
  if (encoding === TYPED_DATA) return readTyped(payload, from, given, budget);
  if (encoding === 'PAYLOAD_ENCODING_EIP7702_AUTHORIZATION') return readAuthorization(payload);
  const isText = encoding === 'PAYLOAD_ENCODING_TEXT_UTF8';
  return { title: 'Sign a payload', form: 'raw', facts: [fact('payload', payload, isText ? 'text' : 'hex')], warnings: [RAW] };
}

/** One of several: what it moves is among its own facts. */
const factsOf = ({ facts, calls = [], chain }: Read, { tokens }: Given): Fact[] =>
  chain === undefined ? [...facts] : [...movedFacts(calls, chain, tokens), ...facts];

/** One payload or several, each as it is signed. */
export function readPayloads(given: Given): Read {
  const { parameters } = given;
  const signWith = textOf(parameters, 'signWith') || textOf(parameters, 'privateKeyId');
  const [encoding, hashFunction] = [textOf(parameters, 'encoding'), textOf(parameters, 'hashFunction')];
  const payloads =
    member(parameters, 'payloads') === undefined ? [textOf(parameters, 'payload')] : listOf(parameters, 'payloads').map(String);
  // Each is read three times, and the engine reads four whole ones at most.
  const budget = hashBudget(12);
  const from = HEX_ADDRESS.test(signWith) ? signWith.toLowerCase() : '';
  const reads = payloads.map((payload) => readOne(payload, { encoding, from, budget }, given));
  const isOne = reads.length === 1;
  const [first] = reads;
  if (first === undefined) throw new Error('it has no payload');
  return {
    title: isOne ? first.title : `Sign ${reads.length} payloads`,
    form: first.form,
    ...(isOne && first.chain !== undefined && { chain: first.chain }),
    facts: [
      signedBy(signWith),
      ...reads.flatMap((read, i) =>
        isOne ? read.facts : factsOf(read, given).map((each) => ({ ...each, label: `${i + 1}: ${each.label}` })),
      ),
      fact('encoding', encoding, 'text'),
      fact('hash function', hashFunction, 'text'),
    ],
    calls: reads.flatMap(({ calls = [] }) => calls),
    warnings: reads.flatMap(({ warnings = [] }, i) =>
      isOne ? warnings : warnings.map((each) => ({ ...each, at: `parameters.payloads[${i}]` })),
    ),
    elements: payloads.map((payload) => viewsOf(payload, encoding, budget)),
  };
}
