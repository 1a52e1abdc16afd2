import assert from 'node:assert/strict';
import { test } from 'node:test';
import { base58 } from '@scure/base';
import { decodeInstruction, idlProblem } from '../../src/chains/solana/idl.ts';
import { solanaTransaction } from '../../src/chains/solana/transaction.ts';
import { rounds } from '../support/full.ts';
import fc from '../support/properties.ts';
import { seeded } from '../support/seeded.ts';
import { all, some, someType } from './solana-borsh.ts';

type Json = { [key: string]: unknown };

const PROGRAM = base58.encode(Buffer.alloc(32, 9));
const idl = (instructions: unknown[], types: unknown[] = []): Json => ({ version: '0.1.0', name: 'p', instructions, types });
const decode = (idl: Json, data: Uint8Array, accounts: readonly string[] = []) =>
  decodeInstruction(JSON.stringify(idl), { program: PROGRAM, accounts, data });

/** An IDL with one instruction `go` of the discriminator 07. */
const oneIdl = (args: unknown[], types: unknown[] = []): Json =>
  idl([{ name: 'go', discriminator: [7], accounts: [], args: args.map((type, i) => ({ name: `a${i}`, type })) }], types);
const argsOf = (idl: Json, data: Uint8Array) => decode(idl, Buffer.concat([Buffer.of(7), data]))?.program_call_args;
const one = (type: unknown, data: string, types: unknown[] = []) => argsOf(oneIdl([type], types), Buffer.from(data, 'hex'))?.a0;

test('random types and values: what is written in Borsh is what policies see', () => {
  const random = seeded(3);
  for (let i = 0; i < rounds(500); i++) {
    const types: Json[] = [];
    const parts = Array.from({ length: random(5) }, () => someType(random, types));
    const text = oneIdl(
      parts.map(({ type }) => type),
      types,
    );
    assert.equal(idlProblem(text), undefined, JSON.stringify(text));
    for (let j = 0; j < 5; j++) {
      const { values, bytes } = all(parts)(random);
      const expected = Object.fromEntries(values.map((value, k) => [`a${k}`, value]));
      assert.deepEqual(argsOf(text, Buffer.concat([bytes, some(random, random(3))])), expected, JSON.stringify(text));
      if (bytes.length > 0) assert.deepEqual(argsOf(text, bytes.subarray(0, random(bytes.length))), {});
    }
  }
});

test('data that a program would refuse is not read', () => {
  const list = [{ name: 'L', type: { kind: 'struct', fields: [{ name: 'next', type: { option: { defined: 'L' } } }] } }];
  const unit = [{ name: 'U', type: { kind: 'struct' } }];
  const enums = [{ name: 'E', type: { kind: 'enum', variants: [{ name: 'A' }, { name: 'B', fields: ['u8'] }] } }];
  const refused: [unknown, string, unknown[]?][] = [
    ['bool', '02'],
    [{ option: 'u8' }, '02'],
    ['string', '01000000ff'],
    ['f32', '0000c07f'],
    ['f64', '000000000000f87f'],
    [{ vec: 'u8' }, 'ffffffff'],
    [{ vec: { defined: 'U' } }, 'ffffffff', unit],
    [{ array: [{ array: [{ defined: 'U' }, 65_535] }, 65_535] }, '', unit],
    [{ defined: 'E' }, '02', enums],
    [{ defined: 'E' }, '01', enums],
    [{ defined: 'L' }, '01'.repeat(30), list],
  ];
  for (const [type, data, types] of refused) {
    assert.equal(idlProblem(oneIdl([type], types)), undefined);
    assert.equal(one(type, data, types), undefined, JSON.stringify(type));
  }
  assert.deepEqual(one({ defined: 'L' }, '010100', list), { next: { next: { next: null } } });
  assert.deepEqual(one({ defined: 'E' }, '0105', enums), { kind: 'B', fields: [5n] });
  assert.equal(one('f32', '0000807f'), 'Infinity');
});

/** Names and discriminators that Anchor's own tests publish: tests/idl/idls/new.json of github.com/coral-xyz/anchor. */
const published = {
  initialize: 'afaf6d1f0d989bed',
  cause_error: '43682511029b4411',
  initialize_with_values: 'dc4908d5b245b58d',
  initialize_with_values2: 'f8be1561ef9427b5',
};

test('discriminators that an IDL does not give are the published ones', () => {
  const camel = (name: string) => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  for (const [name, discriminator] of Object.entries(published)) {
    for (const spelled of [name, camel(name)]) {
      const parsed = decode(idl([{ name: spelled, accounts: [], args: [] }]), Buffer.from(discriminator, 'hex'));
      assert.equal(parsed?.instruction_name, spelled);
      assert.equal(parsed?.discriminator, discriminator);
    }
  }
});

test('the longest discriminator counts, also if its arguments cannot be read', () => {
  const text = idl(
    [[26], [26, 1], [26, 1, 2, 3, 4, 5, 6, 7, 8, 9]].map((discriminator) => ({
      name: `of${discriminator.length}`,
      discriminator,
      accounts: [],
      args: discriminator.length === 2 ? [{ name: 'x', type: 'u8' }] : [],
    })),
  );
  const name = (hex: string) => decode(text, Buffer.from(hex, 'hex'))?.instruction_name;
  assert.equal(name('1a'), 'of1');
  assert.equal(name('1a00'), 'of1');
  assert.equal(name('1a01'), 'of2');
  assert.equal(name('1a0102'), 'of2');
  assert.equal(name('1a010203040506070809'), 'of10');
  assert.equal(name('1b'), undefined);
  assert.equal(name(''), undefined);
});

test('accounts by name: groups, optional ones, fewer and more than the IDL has', () => {
  const older = [
    { name: 'payer', isMut: true, isSigner: true },
    {
      name: 'market',
      accounts: [
        { name: 'payer', isMut: false, isSigner: false },
        { name: 'inner', accounts: [{ name: 'vault', isMut: true, isSigner: false }] },
      ],
    },
    { name: 'referrer', isMut: true, isSigner: false, isOptional: true },
    { name: 'constructor', isMut: false, isSigner: false },
  ];
  const newer = JSON.parse(JSON.stringify(older).replaceAll('isOptional', 'optional').replaceAll('isMut', 'writable'));
  for (const accounts of [older, newer]) {
    const text = idl([{ name: 'go', discriminator: [7], accounts, args: [] }]);
    const named = (keys: string[]) => decode(text, Buffer.of(7), keys)?.named_accounts;
    const full = { payer: 'A', 'market.payer': 'B', 'market.inner.vault': 'C', referrer: 'D', constructor: 'E' };
    assert.deepEqual(named(['A', 'B', 'C', 'D', 'E', 'F']), full);
    const { referrer: _, ...without } = full;
    assert.deepEqual(named(['A', 'B', 'C', PROGRAM, 'E']), without);
    assert.deepEqual(named([PROGRAM, 'B']), { payer: PROGRAM, 'market.payer': 'B' });
    assert.deepEqual(named([]), {});
  }
});

test('names that objects have of their own are names like others', () => {
  const names = ['__proto__', 'constructor', 'toString'];
  const args = names.map((name) => ({ name, type: 'u8' }));
  const parsed = decode(idl([{ name: '__proto__', discriminator: [7], accounts: args, args }]), Buffer.of(7, 1, 2, 3), [
    'A',
    'B',
    'C',
  ]);
  assert.deepEqual(Object.entries(parsed!.program_call_args), [
    ['__proto__', 1n],
    ['constructor', 2n],
    ['toString', 3n],
  ]);
  assert.deepEqual(Object.keys(parsed!.named_accounts), names);
});

test('problems of an IDL, each with its place', () => {
  const struct = (name: string, type: unknown) => ({ name, type: { kind: 'struct', fields: [{ name: 'x', type }] } });
  const instruction = (more: Json) => idl([{ name: 'go', accounts: [], args: [], ...more }]);
  const arg = (type: unknown) => instruction({ args: [{ name: 'x', type }] });
  const deep = (n: number): unknown => (n === 0 ? 'u8' : { vec: deep(n - 1) });
  const cases: [unknown, string | RegExp][] = [
    [[], /^must be an IDL/],
    [null, /^must be an IDL/],
    [{ instructions: [] }, 'types: must be a list'],
    [{ types: [] }, 'instructions: must be a list'],
    [idl([1]), 'instructions[0]: must be an object'],
    [idl([{ accounts: [], args: [] }]), /^instructions\[0\]\.name: /],
    [instruction({ name: '' }), /^instructions\[0\]\.name: /],
    [instruction({ accounts: undefined }), 'instructions[0].accounts: must be a list'],
    [instruction({ args: {} }), 'instructions[0].args: must be a list'],
    [instruction({ args: ['u8'] }), 'instructions[0].args: each must have a name'],
    [instruction({ discriminator: [] }), /^instructions\[0\]\.discriminator: /],
    [instruction({ discriminator: [256] }), /^instructions\[0\]\.discriminator: /],
    [instruction({ discriminator: Array(33).fill(0) }), /^instructions\[0\]\.discriminator: /],
    [instruction({ accounts: [{ name: 'a' }, { name: 'a' }] }), /^instructions\[0\]\.accounts\[1\]: the name "a" occurs twice/],
    [instruction({ accounts: [{ name: 'a', accounts: [{}] }] }), /^instructions\[0\]\.accounts\[0\]\.accounts\[0\]\.name: /],
    [
      instruction({ accounts: Array.from({ length: 257 }, (_, i) => ({ name: `${i}` })) }),
      /^instructions\[0\]\.accounts: are more/,
    ],
    [arg('u256'), 'instructions[0].args[0].type: unknown type "u256"'],
    [arg('toString'), 'instructions[0].args[0].type: unknown type "toString"'],
    [arg(undefined), /^instructions\[0\]\.args\[0\]\.type: must be/],
    [arg({ coption: 'u8' }), 'instructions[0].args[0].type: the kind of type "coption" is not supported'],
    [arg({ vec: 'u8', option: 'u8' }), 'instructions[0].args[0].type: must have exactly one member'],
    [arg({ array: ['u8', -1] }), /^instructions\[0\]\.args\[0\]\.type\.array: /],
    [arg({ array: ['u8', { generic: 'N' }] }), /^instructions\[0\]\.args\[0\]\.type\.array: /],
    [arg({ array: [{ vec: 'x' }, 1] }), 'instructions[0].args[0].type.array[0].vec: unknown type "x"'],
    [arg(deep(17)), /: is nested deeper than 16 levels/],
    [arg({ defined: 'T' }), 'instructions[0].args[0].type: unknown type "T"'],
    [arg({ defined: { name: 'T', generics: [{ kind: 'type', type: 'u8' }] } }), /generics: generic types are not supported/],
    [
      idl([
        { name: 'a', accounts: [], args: [] },
        { name: 'a', accounts: [], args: [] },
      ]),
      /^instructions\[1\]: the name "a"/,
    ],
    [
      idl([
        { name: 'a_b', accounts: [], args: [] },
        { name: 'aB', accounts: [], args: [] },
      ]),
      'instructions[1]: another instruction has the same discriminator',
    ],
    [oneIdl([], [struct('T', 'u8'), struct('T', 'u8')]), /^types\[1\]: the name "T" occurs twice/],
    [oneIdl([{ defined: 'T' }], [struct('T', { defined: 'U' })]), 'types[0].type: unknown type "U"'],
    [oneIdl([{ defined: 'T' }], [struct('T', 'u9')]), 'types[0].type.fields[0].type: unknown type "u9"'],
    [oneIdl([{ defined: 'T' }], [{ name: 'T', type: { kind: 'union' } }]), /^types\[0\]\.type\.kind: /],
    [oneIdl([{ defined: 'T' }], [{ ...struct('T', 'u8'), serialization: 'bytemuck' }]), /^types\[0\]\.serialization: /],
    [oneIdl([{ defined: 'T' }], [{ ...struct('T', 'u8'), generics: [{}] }]), /^types\[0\]\.generics: /],
    [
      oneIdl([{ defined: 'T' }], [{ name: 'T', type: { kind: 'enum', variants: [{ name: 'A' }, { name: 'A' }] } }]),
      /^types\[0\]\.type\.variants\[1\]: /,
    ],
    [oneIdl([{ defined: 'T' }], [struct('T', { defined: 'T' })]), 'types[0]: contains itself without end'],
    [oneIdl([{ defined: 'T' }], [struct('T', { array: [{ defined: 'U' }, 1] }), struct('U', { defined: 'T' })]), /without end/],
    [oneIdl([{ defined: 'T' }], [{ name: 'T', type: { kind: 'alias', value: { defined: 'T' } } }]), /without end/],
    [oneIdl([{ defined: 'T' }], [{ name: 'T', type: { kind: 'enum', variants: [] } }]), /without end/],
  ];
  for (const [value, problem] of cases) {
    const found = idlProblem(value);
    if (typeof problem === 'string') assert.equal(found, problem);
    else assert.match(found ?? 'none', problem);
    const called = { program: PROGRAM, accounts: [], data: Buffer.alloc(64) };
    assert.throws(() => decodeInstruction(JSON.stringify(value), called), /a stored interface is not an IDL/);
  }
  const fine: unknown[] = [
    idl([]),
    oneIdl(['u8'], [struct('Unused', 'no type at all'), struct('Endless', { defined: 'Endless' })]),
    oneIdl([{ defined: 'T' }], [struct('T', { vec: { defined: 'T' } })]),
    oneIdl([{ defined: 'T' }], [struct('T', { array: [{ defined: 'T' }, 0] })]),
    oneIdl(
      [{ defined: 'T' }],
      [{ name: 'T', type: { kind: 'enum', variants: [{ name: 'A' }, { name: 'B', fields: [{ defined: 'T' }] }] } }],
    ),
  ];
  for (const value of fine) assert.equal(idlProblem(value), undefined);
});

test('random data and changed IDLs: a result or none, never an error', () => {
  const random = seeded(4);
  for (let i = 0; i < rounds(300); i++) {
    const types: Json[] = [];
    const text = oneIdl([someType(random, types).type, someType(random, types).type], types);
    for (let j = 0; j < 20; j++) argsOf(text, random(2) ? some(random, random(60)) : Buffer.alloc(random(60)));
    const changed: unknown = JSON.parse(JSON.stringify(text), (_, value) =>
      random(30) ? value : [undefined, null, 'u8', 7, [], {}, [value], { vec: value }, { defined: 'some::T0' }][random(9)],
    );
    const changedText = JSON.stringify(changed) ?? 'null';
    const problem = idlProblem(JSON.parse(changedText));
    assert.ok(['string', 'undefined'].includes(typeof problem));
    const called = { program: PROGRAM, accounts: ['A'], data: Buffer.concat([Buffer.of(7), some(random, 40)]) };
    if (problem === undefined) decodeInstruction(changedText, called);
  }
  const parts = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 5 },
      fc.constantFrom<unknown>('u8', 'T', null, 1, [], {}, 'string'),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(
        fc.constantFrom(
          'name',
          'type',
          'types',
          'args',
          'accounts',
          'fields',
          'variants',
          'kind',
          'vec',
          'array',
          'defined',
          'value',
        ),
        tie('value'),
      ),
    ),
  }));
  const lists = fc.record({ instructions: fc.array(parts.value), types: fc.array(parts.value) });
  fc.assert(
    fc.property(fc.oneof(parts.value, lists, fc.jsonValue()), (value) =>
      ['string', 'undefined'].includes(typeof idlProblem(value)),
    ),
  );
  for (const text of ['', '{', '[]', '"', '{"instructions":[],"instructions":[],"types":[]}', '\ud800']) {
    assert.throws(() => decodeInstruction(text, { program: PROGRAM, accounts: [], data: Buffer.of(7) }), /is not an IDL/);
  }
});

test('a transaction shows what the interfaces of its programs say, and nothing where they say nothing', () => {
  const keys = [1, 9, 8].map((n) => Buffer.alloc(32, n));
  const call = (program: number, ...data: number[]) => [program, 2, 0, 3, data.length, ...data];
  const bytes = Buffer.from([
    ...[1, ...Buffer.alloc(64), 0x80, 1, 0, 2, 3, ...Buffer.concat(keys), ...Buffer.alloc(32)],
    ...[3, ...call(1, 7, 5), ...call(1, 6), ...call(2, 7, 5)],
    ...[1, ...Buffer.alloc(32, 4), 1, 0, 0],
  ]);
  const transaction = solanaTransaction.parse(bytes, { curve: 'CURVE_ED25519', publicKey: keys[0]! });
  const [payer, other] = [keys[0]!, keys[2]!].map((key) => base58.encode(key));
  assert.deepEqual(transaction.contracts, [PROGRAM, other]);
  const accounts = [{ name: 'payer' }, { name: 'to' }];
  const text = JSON.stringify(idl([{ name: 'go', discriminator: [7], accounts, args: [{ name: 'n', type: 'u8' }] }]));
  const unknown = { instruction_name: '', discriminator: '', named_accounts: {}, program_call_args: {} };
  const parsed = (interfaces: [string, string][]) =>
    (transaction.view(new Map(interfaces)).instructions as Json[]).map((each) => each.parsed_instruction_data);
  assert.deepEqual(parsed([[PROGRAM, text]]), [
    {
      instruction_name: 'go',
      discriminator: '07',
      named_accounts: { payer, to: 'ADDRESS_TABLE_LOOKUP' },
      program_call_args: { n: 5n },
    },
    unknown,
    unknown,
  ]);
  assert.deepEqual(parsed([]), [unknown, unknown, unknown]);
});
