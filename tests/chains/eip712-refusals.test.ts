import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '../../src/base/errors.ts';
import { eip712Digest } from '../../src/chains/ethereum/eip712.ts';
import { rounds } from '../support/full.ts';
import { seeded } from '../support/seeded.ts';
import { digest, generate, json, mail, one, refuse, with_ } from './eip712-cases.ts';

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
  assert.match(digest(many(9_000)), /^0x/);
  assert.throws(() => digest(many(20_000)), /at most 10000 values/);
  assert.throws(() => digest(one('string', 'x'.repeat(300_000))), /at most 262144 characters/);
  const name = (i: number) => `T${i}_`.padEnd(120, 'x');
  const circle = Array.from({ length: 100 }, (_, i) => [name(i), [{ name: 'next', type: `${name((i + 1) % 100)}[]` }]]);
  const all = Array.from({ length: 100 }, (_, i) => ({ name: `f${i}`, type: name(i) }));
  const message = Object.fromEntries(all.map((field) => [field.name, { next: [] }]));
  const types = { ...Object.fromEntries(circle), All: all };
  assert.throws(() => digest({ types, primaryType: 'All', domain: {}, message }), /have too much text/);
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
  for (let i = 0; i < rounds(4_000); i++) {
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
