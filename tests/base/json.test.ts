import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dropNulls, type Json, parseJson } from '../../src/base/json.ts';
import { rounds } from '../support/full.ts';
import fc from '../support/properties.ts';

const LIMITS = { depth: 64, keys: 50_000 };
const parse = (text: string, limits = LIMITS) => parseJson(Buffer.from(text), limits);
const refuses = (text: string, why: RegExp, limits = LIMITS): void => {
  const parsed = parse(text, limits);
  assert.ok('error' in parsed, text);
  assert.match(parsed.error, why);
};

/** Whitespace between all tokens, drawn by fast-check, so that the scanner meets every layout. */
const space = fc.constantFrom('', ' ', '\n', '\t ', '\r\n');
const stringText = fc.oneof(
  fc.string({ unit: 'grapheme' }).map((s) => JSON.stringify(s)),
  fc
    .array(fc.constantFrom('\\\\', '\\"', '\\/', '\\u0041', '\\ud83d\\ude00', ':', '{', '}', '[', ']', ',', 'é', '\\n'))
    .map((parts) => `"${parts.join('')}"`),
);
const document = fc.letrec<{ value: string; array: string; object: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5 },
    stringText,
    fc.constantFrom('null', 'true', 'false', '0', '-0', '-1.5e+3', '1E400', '123456789012345678901'),
    tie('array'),
    tie('object'),
  ),
  array: fc.tuple(space, fc.array(tie('value'), { maxLength: 4 })).map(([s, items]) => `[${s}${items.join(`${s},${s}`)}${s}]`),
  object: fc
    .tuple(space, fc.array(fc.tuple(stringText, tie('value')), { maxLength: 4 }))
    .map(([s, members]) => `{${s}${members.map(([k, v]) => `${k}${s}:${s}${v}`).join(`${s},${s}`)}${s}}`),
})).value;

/** The second opinion. A reviver cannot see duplicates, so keys are read from the tokens of the text, object by object. */
function keysOf(text: string): { twice: boolean; proto: boolean; escaped: boolean } {
  const open: (Set<string> | undefined)[] = [];
  const seen = { twice: false, proto: false, escaped: false };
  const tokens = text.match(/"(?:[^"\\]|\\.)*"|[{}[\]:,]|[^\s{}[\]:,"]+/g) ?? [];
  for (const [i, token] of tokens.entries()) {
    if (token === '{') open.push(new Set());
    else if (token === '[') open.push(undefined);
    else if (token === '}' || token === ']') open.pop();
    else if (tokens[i + 1] === ':') {
      if (token.includes('\\')) seen.escaped = true;
      const key = token.slice(1, -1);
      if (key === '__proto__') seen.proto = true;
      if (open.at(-1)?.has(key)) seen.twice = true;
      open.at(-1)?.add(key);
    }
  }
  return seen;
}

test('whatever JSON.parse accepts is parsed alike, unless its keys are refused', () => {
  fc.assert(
    fc.property(document, (text) => {
      const parsed = parse(text);
      const { twice, proto, escaped } = keysOf(text);
      // As a value the text is harmless; as a key it is refused, before any other fault of the keys.
      if (escaped) assert.ok('error' in parsed && parsed.error.includes('escape'), text);
      else if (proto) assert.ok('error' in parsed && parsed.error.includes('"__proto__"'), text);
      else if (twice) assert.ok('error' in parsed && parsed.error.startsWith('duplicate key'), text);
      else assert.deepEqual(parsed, { value: JSON.parse(text) }, text);
    }),
    { numRuns: rounds(3000) },
  );
});

test('whatever JSON.parse refuses is refused, without an exception and without a word of the text', () => {
  const damage = fc.tuple(document, fc.nat(), fc.constantFrom('', '"', '\\', '{', ']', ',', ':', '\u0001', 'x'), fc.nat(2));
  fc.assert(
    fc.property(damage, ([text, at, insert, cut]) => {
      const i = at % (text.length + 1);
      const broken = Buffer.from(text.slice(0, i) + insert + text.slice(i + cut)).toString('utf8');
      let valid = true;
      try {
        JSON.parse(broken);
      } catch {
        valid = false;
      }
      const parsed = parse(broken);
      if (!valid) assert.ok('error' in parsed, broken);
    }),
    { numRuns: rounds(3000) },
  );
  const parsed = parse('{"password":"hunter2"');
  assert.ok('error' in parsed && !parsed.error.includes('hunter2'), JSON.stringify(parsed));
});

test('a key twice, at any depth, is named', () => {
  refuses('{"a":1,"a":1}', /duplicate key "a"/);
  refuses('{"b":[{"x":{"a":1,"c":2,"a":3}}]}', /duplicate key "a"/);
  refuses('{"":1,"":2}', /duplicate key ""/);
  refuses('{"1":1,"1":2}', /duplicate key "1"/);
  refuses('{"é":1,"é":2}', /duplicate key "é"/);
  refuses(`{"a"${' '.repeat(200)}:1,"a"${' '.repeat(200)}:2}`, /duplicate key "a"/);
  assert.deepEqual(parse('{"a":{"a":1},"b":{"a":1}}'), { value: { a: { a: 1 }, b: { a: 1 } } });
  assert.deepEqual(parse('{"a":"a","b":"a:a"}'), { value: { a: 'a', b: 'a:a' } });
  assert.deepEqual(parse('{"a":1,"A":1}'), { value: { a: 1, A: 1 } });
});

test('a key written with an escape sequence is refused, so that no other key is read in its place', () => {
  // V8 keeps short keys in a cache and may answer an escaped one with `\\` from there (nodejs/node#63785).
  JSON.parse('{"h":[],"\\\\":0}');
  for (const text of [
    '{"\\"":1}',
    '{"h":1,"\\"":2}',
    '{"\\u0061":1}',
    '{"a":1,"\\u0061":2}',
    '[{"x":{"\\\\":1}}]',
    '{"a\\n" : 1}',
  ])
    refuses(text, /without escape sequences/);
  assert.deepEqual(parse('{"a":"\\"","b":["\\\\",{"c":"\\u0061"}]}'), { value: { a: '"', b: ['\\', { c: 'a' }] } });
});

test('depth and the number of fields are bounded, exactly', () => {
  const deep = (n: number) => `${'['.repeat(n)}${']'.repeat(n)}`;
  assert.ok('value' in parse(deep(3), { depth: 3, keys: 1 }));
  refuses(deep(4), /nested deeper than 3 levels/, { depth: 3, keys: 1 });
  refuses(`${'{"a":'.repeat(4)}1${'}'.repeat(4)}`, /nested deeper than 3 levels/, { depth: 3, keys: 9 });
  refuses('['.repeat(1_000_000), /nested deeper/);
  assert.ok('value' in parse('{"a":1,"b":{"c":1}}', { depth: 3, keys: 3 }));
  refuses('{"a":1,"b":{"c":1,"d":1}}', /more than 3 fields/, { depth: 3, keys: 3 });
  assert.ok('value' in parse('"[[[[[[{{{{::::"', { depth: 1, keys: 0 }), 'inside strings nothing counts');
});

test('__proto__ is refused as a key at any depth, and is harmless as a value', () => {
  refuses('{"__proto__":1}', /"__proto__" is not allowed/);
  refuses('[{"a":{"__proto__":{"x":1}}}]', /"__proto__" is not allowed/);
  assert.deepEqual(parse('{"a":"__proto__"}'), { value: { a: '__proto__' } });
  const parsed = parse('{"constructor":{"prototype":{"x":1}}}');
  assert.ok('value' in parsed);
  assert.equal(({} as Record<string, unknown>).x, undefined);
});

test('U+0000 is refused where texts are to be stored, not what looks like it', () => {
  const STORABLE = { ...LIMITS, storable: true as const };
  for (const text of ['"\\u0000"', '{"a":["x\\u0000"]}']) refuses(text, /U\+0000/, STORABLE);
  for (const text of ['"\\\\u0000"', '"\\u0001"']) assert.deepEqual(parse(text, STORABLE), { value: JSON.parse(text) });
  assert.deepEqual(parse('"\\u0000"'), { value: '\0' });
});

test('lone surrogates are refused; pairs are not', () => {
  for (const text of ['"\\ud800"', '"\\udc00"', '"\\udc00\\ud800"', '[["x\\uDBFFy"]]', '"\\ud83d\\ud83d\\ude00"'])
    refuses(text, /lone surrogate/);
  assert.deepEqual(parse('"\\ud83d\\ude00"'), { value: '😀' });
  assert.deepEqual(parse('"\\\\ud800"'), { value: '\\ud800' });
});

test('UTF-8 only', () => {
  for (const bytes of [[0xff], [0x22, 0xc0, 0x80, 0x22], [0x22, 0xed, 0xa0, 0x80, 0x22], [0x22, 0xe2, 0x82, 0x22]]) {
    assert.deepEqual(parseJson(Buffer.from(bytes), LIMITS), { error: 'not valid UTF-8' });
  }
  refuses('\ufeff{}', /not valid JSON/);
  const inside = Buffer.from('xx{"a":"é"}xx');
  assert.deepEqual(parseJson(inside.subarray(2, -2), LIMITS), { value: { a: 'é' } }, 'a view into a larger buffer');
});

test('null members are absent, elements of arrays stay', () => {
  assert.deepEqual(dropNulls({ a: null, b: [null, { c: null, d: 0 }], e: { f: null }, g: '', h: false }), {
    b: [null, { d: 0 }],
    e: {},
    g: '',
    h: false,
  });
  assert.equal(dropNulls(null), null);
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const once = dropNulls(value as Json);
      assert.deepEqual(dropNulls(once), once);
    }),
  );
});
