import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TypedDataEncoder } from 'ethers';
import { hashTypedData, serializeTypedData } from 'viem';
import { ApiError, invalid } from '../../src/base/errors.ts';
import { eip712Digest, readTypedData } from '../../src/chains/ethereum/eip712.ts';
import { atoms } from '../../src/chains/ethereum/eip712-atoms.ts';
import { seededBytes } from '../crypto/vectors.ts';
import { seeded } from '../support/seeded.ts';

type Types = Record<string, { name: string; type: string }[]>;
type Typed = { domain: Record<string, unknown>; types: Types; primaryType: string; message: Record<string, unknown> };

const refuse = (why: string): ApiError => invalid('parameters.payload', why);
const digest = (data: unknown): string =>
  `0x${eip712Digest(typeof data === 'string' ? data : json(data), refuse).toString('hex')}`;
/** JSON as clients write it: bigints as decimal text. */
const json = (data: unknown): string => JSON.stringify(data, (_key, value) => (typeof value === 'bigint' ? `${value}` : value));

function ofEthers({ domain, types, message }: Typed): string {
  const { EIP712Domain: _, ...rest } = types;
  return TypedDataEncoder.hash(domain, rest, message);
}

const ofViem = (data: Typed): string => hashTypedData(data as unknown as Parameters<typeof hashTypedData>[0]);

/** The example of EIP-712 itself. */
const mail: Typed = {
  domain: { name: 'Ether Mail', version: '1', chainId: 1, verifyingContract: '0xCcCCccccCCCCcCCCCCCcCcCccCcCCCcCcccccccC' },
  types: {
    EIP712Domain: [
      { name: 'name', type: 'string' },
      { name: 'version', type: 'string' },
      { name: 'chainId', type: 'uint256' },
      { name: 'verifyingContract', type: 'address' },
    ],
    Person: [
      { name: 'name', type: 'string' },
      { name: 'wallet', type: 'address' },
    ],
    Mail: [
      { name: 'from', type: 'Person' },
      { name: 'to', type: 'Person' },
      { name: 'contents', type: 'string' },
    ],
  },
  primaryType: 'Mail',
  message: {
    from: { name: 'Cow', wallet: '0xCD2a3d9F938E13CD947Ec05AbC7FE734Df8DD826' },
    to: { name: 'Bob', wallet: '0xbBbBBBBbbBBBbbbBbbBbbbbBBbBbbbbBbBbbBBbB' },
    contents: 'Hello, Bob!',
  },
};

const with_ = (changes: Partial<Record<keyof Typed, unknown>>): unknown => ({ ...mail, ...changes });

/** A payload with one field `v` of a type. */
const one = (type: string, value: unknown, others: Types = {}): unknown => ({
  domain: {},
  types: { EIP712Domain: [], T: [{ name: 'v', type }], ...others },
  primaryType: 'T',
  message: { v: value },
});

test('the example of EIP-712', () => {
  assert.equal(digest(mail), '0xbe609aee343fb3c4b28e1df9e632fca64fcfaede20f02e86244efddf30957bd2');
});

test('a domain without its type gets the fields of the standard, in their order', () => {
  const { EIP712Domain: _, ...types } = mail.types;
  const salt = `0x${'ab'.repeat(32)}`;
  for (const domain of [
    {},
    { chainId: 1 },
    { salt, name: 'x' },
    { ...mail.domain, salt },
    { version: '2', chainId: 2n ** 200n },
  ]) {
    assert.equal(digest({ ...mail, types, domain }), ofEthers({ ...mail, types, domain }), json(domain));
  }
  assert.equal(digest({ ...mail, types }), digest(mail));
  assert.equal(digest({ ...mail, types, domain: { ...mail.domain, salt: null } }), digest(mail));
});

test('what viem serializes for a wallet has the digest that viem computes', () => {
  const text = serializeTypedData(mail as unknown as Parameters<typeof serializeTypedData>[0]);
  assert.equal(digest(text), ofViem(mail));
});

test('names with a colon, as Hyperliquid has them', () => {
  const data: Typed = {
    domain: {
      name: 'HyperliquidSignTransaction',
      version: '1',
      chainId: 421614,
      verifyingContract: '0x0000000000000000000000000000000000000000',
    },
    types: {
      EIP712Domain: mail.types.EIP712Domain!,
      'HyperliquidTransaction:UsdSend': [
        { name: 'hyperliquidChain', type: 'string' },
        { name: 'destination', type: 'string' },
        { name: 'amount', type: 'string' },
        { name: 'time', type: 'uint64' },
      ],
    },
    primaryType: 'HyperliquidTransaction:UsdSend',
    message: {
      hyperliquidChain: 'Testnet',
      destination: '0x5e9ee1089755c3435139848e47e6635505d5a13a',
      amount: '1',
      time: 1687816341423,
    },
  };
  assert.equal(digest(data), ofEthers(data));
  assert.equal(digest(data), ofViem(data));
});

test('types that refer to themselves', () => {
  const data: Typed = {
    domain: {},
    types: {
      EIP712Domain: [],
      Node: [
        { name: 'label', type: 'string' },
        { name: 'children', type: 'Node[]' },
      ],
    },
    primaryType: 'Node',
    message: { label: 'a', children: [{ label: 'b', children: [] }] },
  };
  assert.equal(digest(data), ofViem(data));
});

/** Typed data of random types, in which each struct holds only later ones, with fitting values. */
function generate(seed: number): Typed {
  const next = seeded(seed);
  const bytes = seededBytes(seed);
  const names = Array.from({ length: 1 + next(4) }, (_, i) => `${'STUV'[i]}${next(100)}`);
  const atomNames = [...atoms.keys()];
  const types: Types = {};
  for (const [i, name] of names.entries()) {
    types[name] = Array.from({ length: 1 + next(5) }, (_, k) => {
      const later = names[i + 1 + next(3)];
      const base = later !== undefined && next(2) ? later : atomNames[next(atomNames.length)]!;
      return { name: `f${k}`, type: base + ['', '', '', '[]', '[2]', '[][1]', '[2][]'][next(7)]! };
    });
  }
  // Every struct is used, so that ethers too takes the first for the primary type.
  for (const [i, name] of names.slice(1).entries()) types[names[i]!]!.push({ name: 'last', type: name });
  const value = (type: string): unknown => {
    const array = /^(.*)\[(\d*)\]$/.exec(type);
    if (array) return Array.from({ length: array[2] ? Number(array[2]) : next(3) }, () => value(array[1]!));
    if (types[type]) return Object.fromEntries(types[type].map((field) => [field.name, value(field.type)]));
    if (type === 'bool') return next(2) === 1;
    if (type === 'string') return ['', 'text', 'ü€😀', 'x'.repeat(100)][next(4)];
    if (type === 'address') return `0x${bytes(20).toString('hex')}`;
    const [, kind, size] = /^(bytes|uint|int)(\d*)$/.exec(type)!;
    if (kind === 'bytes') return `0x${bytes(size === '' ? next(70) : Number(size)).toString('hex')}`;
    const number = BigInt.asUintN(Number(size) - (kind === 'int' ? 1 : 0), BigInt(`0x${bytes(32).toString('hex')}`));
    return kind === 'int' && next(2) ? -number : number;
  };
  return {
    domain: { name: 'fuzz', chainId: BigInt(next(1e9)) },
    types,
    primaryType: names[0]!,
    message: value(names[0]!) as Record<string, unknown>,
  };
}

test('300 random types and values have the digest of ethers and of viem', () => {
  for (let seed = 0; seed < 300; seed++) {
    const data = generate(seed);
    const ours = digest(data);
    assert.equal(ours, ofEthers(data), json(data));
    assert.equal(ours, ofViem(data), json(data));
  }
});

test('whole numbers lose no digit, however they are written', () => {
  const exact = 12345678901234567890123456789n;
  const expected = digest(one('uint256', `${exact}`));
  assert.equal(digest(json(one('uint256', 0)).replace('"v":0', `"v":${exact}`)), expected);
  assert.equal(digest(one('uint256', `0x${exact.toString(16)}`)), expected);
  assert.notEqual(digest(one('uint256', `${exact + 1n}`)), expected);
  const shown = readTypedData(json(one('int8', '-5')), refuse);
  assert.deepEqual(shown.message, { v: -5n });
});

test('what is shown is what is signed: other members are left out, hex is in lower case', () => {
  const data = {
    ...mail,
    extra: 1,
    domain: { ...mail.domain, extra: true },
    message: { ...mail.message, from: { ...(mail.message.from as object), extra: [1] }, extra: 'x' },
  };
  assert.equal(digest(data), digest(mail));
  const { domain, message, primaryType } = readTypedData(json(data), refuse);
  assert.equal(primaryType, 'Mail');
  assert.deepEqual(domain, {
    name: 'Ether Mail',
    version: '1',
    chainId: 1n,
    verifyingContract: '0xcccccccccccccccccccccccccccccccccccccccc',
  });
  assert.deepEqual(message, {
    from: { name: 'Cow', wallet: '0xcd2a3d9f938e13cd947ec05abc7fe734df8dd826' },
    to: { name: 'Bob', wallet: '0xbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb' },
    contents: 'Hello, Bob!',
  });
});

const accepted: readonly [string, unknown][] = [
  ['uint8', 255],
  ['uint8', '0xff'],
  ['int8', -128],
  ['uint256', `0x${'f'.repeat(64)}`],
  ['int256', `${-(2n ** 255n)}`],
  ['bytes', '0x'],
  ['bytes2', '0xABcd'],
  ['address', `0x${'AB'.repeat(20)}`],
  ['uint8[2][]', [[1, 2]]],
  ['string', '\u0000'],
];

const refusedValues: readonly [string, unknown][] = [
  ['uint8', 256],
  ['uint8', -1],
  ['uint8', 1.5],
  ['uint8', true],
  ['uint8', ''],
  ['uint8', ' 1'],
  ['uint8', '1e2'],
  ['uint8', '0x'],
  ['uint8', null],
  ['uint8', [1]],
  ['int8', 128],
  ['int8', -129],
  ['uint256', `${2n ** 256n}`],
  ['uint256', 1e21],
  ['bool', 'true'],
  ['bool', 1],
  ['string', 1],
  ['string', {}],
  ['bytes', '0x0'],
  ['bytes', '00'],
  ['bytes2', '0x00'],
  ['bytes2', '0x000000'],
  ['address', `0x${'0'.repeat(39)}`],
  ['address', '0'.repeat(40)],
  ['address', '0xCcCCccccCCCCcCCCCCCcCcCccCcCCCcCccccccCc'],
  ['uint8[]', 1],
  ['uint8[]', { length: 0 }],
  ['uint8[2]', [1]],
  ['uint8[2]', [1, 2, 3]],
  ['uint8[2][]', [[1]]],
  ['uint', 1],
  ['int', 1],
  ['uint9', 1],
  ['uint264', 1],
  ['bytes33', '0x'],
  ['bytes0', '0x'],
  ['Missing', {}],
  ['toString', {}],
  ['__proto__', {}],
  ['uint8[-1]', []],
  ['uint8[]x', []],
  ['uint8 ', 1],
  ['', 1],
  [`uint8${'[]'.repeat(9)}`, []],
];

test('values that fit their type, and values that do not', () => {
  for (const [type, value] of accepted) assert.match(digest(one(type, value)), /^0x[0-9a-f]{64}$/, `${type} ${json(value)}`);
  for (const [type, value] of refusedValues) assert.throws(() => digest(one(type, value)), ApiError, `${type} ${json(value)}`);
  assert.throws(() => digest(one('uint8', 256)), /message\.v \(uint8\) must be a whole number of 8 bits, not negative/);
  assert.throws(() => digest(with_({ message: { ...mail.message, to: {} } })), /message\.to\.name is missing/);
});

const T = [{ name: 'v', type: 'bool' }];
const refusedPayloads: readonly unknown[] = [
  '',
  'x',
  'null',
  '[]',
  '"text"',
  '1',
  '{"a":1,"a":2}',
  '{"__proto__":{}}',
  '{"domain":{},"types":{"T":[]},"primaryType":"T","message":{"a":"\\ud800"}}',
  '[[['.repeat(20_000),
  {},
  with_({ types: undefined }),
  with_({ types: [] }),
  with_({ domain: undefined }),
  with_({ domain: null }),
  with_({ domain: { name: 'x' } }),
  with_({ message: undefined }),
  with_({ message: [] }),
  with_({ primaryType: undefined }),
  with_({ primaryType: 'Other' }),
  with_({ primaryType: 'toString' }),
  with_({ primaryType: 'EIP712Domain' }),
  { domain: { other: 1 }, types: { T }, primaryType: 'T', message: { v: true } },
  { domain: {}, types: { T, uint8: T }, primaryType: 'T', message: { v: true } },
  { domain: {}, types: { T, 'a b': T }, primaryType: 'T', message: { v: true } },
  { domain: {}, types: { T, 'A(bool x)B': T }, primaryType: 'T', message: { v: true } },
  { domain: {}, types: { T: [...T, ...T] }, primaryType: 'T', message: { v: true } },
  { domain: {}, types: { T: [{ name: 'v,bool w', type: 'bool' }] }, primaryType: 'T', message: { 'v,bool w': true } },
  { domain: {}, types: { T: [{ name: 'v' }] }, primaryType: 'T', message: { v: true } },
  { domain: {}, types: { T: [{ type: 'bool' }] }, primaryType: 'T', message: { v: true } },
  { domain: {}, types: { T: [null] }, primaryType: 'T', message: {} },
  { domain: {}, types: { T: 'bool' }, primaryType: 'T', message: {} },
  { domain: {}, types: { 'A:B': [{ name: 'v', type: 'T' }], T }, primaryType: 'A:B', message: { v: { v: true } } },
  { domain: {}, types: { 'A:B': T, T: [{ name: 'v', type: 'A:B' }] }, primaryType: 'T', message: { v: { v: true } } },
  {
    domain: {},
    types: Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`T${i}`, T])),
    primaryType: 'T0',
    message: { v: true },
  },
];

test('payloads that are no typed data', () => {
  for (const payload of refusedPayloads) assert.throws(() => digest(payload), ApiError, String(json(payload)).slice(0, 120));
});

test('the work is bounded', () => {
  const fields = Array.from({ length: 500 }, (_, i) => ({ name: `f${i}`, type: 'uint8' }));
  const many = (length: number) => one('S[]', Array(length).fill({}), { S: [], Wide: fields });
  const started = performance.now();
  assert.match(digest(many(9_000)), /^0x/);
  assert.throws(() => digest(many(20_000)), /at most 10000 values/);
  assert.throws(() => digest(one('string', 'x'.repeat(300_000))), /at most 262144 characters/);
  assert.ok(performance.now() - started < 5_000);
});

test('texts with a byte or a piece changed: a digest or an ApiError, and nothing else', () => {
  const next = seeded(712);
  const pieces = [
    '{',
    '}',
    '[',
    ']',
    '"',
    ',',
    ':',
    '0',
    '-1',
    'null',
    '"uint8"',
    'Person',
    '[]',
    '\\u0000',
    '\ud800',
    'e9',
    '__proto__',
  ];
  let digests = 0;
  for (let i = 0; i < 4_000; i++) {
    const text = json(i % 2 ? mail : generate(i % 50));
    const at = next(text.length);
    const changed = text.slice(0, at) + pieces[next(pieces.length)] + text.slice(at + next(8));
    try {
      assert.equal(eip712Digest(changed, refuse).length, 32);
      digests++;
    } catch (error) {
      assert.ok(error instanceof ApiError, `${String(error)} ${changed}`);
    }
  }
  assert.ok(digests > 0);
});
