import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  compileCondition,
  compilePolicy,
  formatPolicyError,
  MAX_DEPTH,
  MAX_SOURCE_LENGTH,
  parse,
  printExpression,
} from '../../src/policy/index.ts';
import { rounds } from '../support/full.ts';
import fc from '../support/properties.ts';
import { agreeOnce, environment, shape } from './agreement.ts';
import { seeded } from './generate.ts';

function errorOf(condition: string): string {
  const compiled = compilePolicy({ effect: 'EFFECT_ALLOW', condition }, environment);
  return compiled.ok
    ? 'accepted'
    : formatPolicyError(compiled.errors[0]!).replace('invalid policy condition: Expression cannot be evaluated: ', '');
}

test('the engine agrees with the reference evaluator, and parse undoes print', () => {
  const seen = new Set<string>();
  for (let seed = 1; seed <= 5000; seed += 1) seen.add(agreeOnce(seeded(seed)));
  assert.deepEqual([...seen].sort(), ['absent', 'false', 'otherwise', 'true']);
});

const words = [
  '(',
  ')',
  '[',
  ']',
  '{',
  '}',
  '..',
  '.',
  ',',
  ':',
  ';',
  '!',
  '&&',
  '||',
  '==',
  '!=',
  '<',
  '<=',
  'in',
  'true',
  '-1',
  '7',
  "'a'",
  '"b"',
  ' ',
];
const names = [
  'eth',
  'tx',
  'to',
  'wallet',
  'id',
  'approvers',
  'x',
  'all',
  'any',
  'filter',
  'contains',
  'count',
  'Timestamp',
  'CronSpan',
  '__proto__',
  'constructor',
];

test('no text makes the lexer, the parser or the checker throw', () => {
  const soup = fc.array(fc.constantFrom(...words, ...names), { maxLength: 40 }).map((tokens) => tokens.join(''));
  const spaced = fc.array(fc.constantFrom(...words, ...names), { maxLength: 40 }).map((tokens) => tokens.join(' '));
  const any = fc.oneof(fc.string(), fc.string({ unit: 'binary' }), soup, spaced);
  fc.assert(
    fc.property(any, fc.constantFrom('condition', 'consensus', 'time'), (source, part) => {
      compilePolicy({ effect: 'EFFECT_DENY', [part]: source }, environment);
      compileCondition(source, environment, 'lenient');
      const parsed = parse(source);
      if (!parsed.ok) return;
      const again = parse(printExpression(parsed.expr));
      assert.ok(again.ok);
      assert.deepEqual(shape(again.expr), shape(parsed.expr));
    }),
    { numRuns: rounds(4000), seed: 42 },
  );
});

test('hostile texts of full length are read to an end', () => {
  const long = MAX_SOURCE_LENGTH;
  const texts = [
    '(',
    '!',
    '[',
    '{a:',
    'x[',
    'x.all(y,',
    'a.b',
    '-',
    "'",
    '0',
    'x[0]',
    '!(',
    'true&&',
    '(true)||',
    'a==',
    '\u00a0',
  ];
  for (const piece of texts) {
    const source = piece.repeat(Math.floor(long / piece.length));
    errorOf(source);
    errorOf(`${source}true`);
  }
  assert.equal(errorOf(`${'true && '.repeat(2000)}true`), 'accepted');
  assert.match(errorOf(' '.repeat(long + 1).concat('true')), /longer than 16384 characters/);
});

test('nesting is bounded, however it is written', () => {
  const nested = (depth: number): string => `${'('.repeat(depth)}true${')'.repeat(depth)}`;
  assert.equal(errorOf(nested(MAX_DEPTH - 1)), 'accepted');
  assert.match(errorOf(nested(MAX_DEPTH)), /nested deeper than 64 levels/);
  assert.equal(errorOf(`${'!'.repeat(MAX_DEPTH - 1)}true`), 'accepted');
  assert.match(errorOf(`${'!'.repeat(MAX_DEPTH)}true`), /nested deeper/);
  assert.match(errorOf(`'a'${'[0]'.repeat(MAX_DEPTH)} == 'a'`), /nested deeper/);
});

test('precedence: || below &&, && below comparisons, ! above them', () => {
  for (const [written, meant] of [
    ['true || false && false', 'true || (false && false)'],
    ['!true == false', '(!true) == false'],
    ["!'a'.contains", "!('a'.contains)"],
    ["1 == 2 && 'a' in ['a']", "(1 == 2) && ('a' in ['a'])"],
    ['true;', 'true'],
  ] as const) {
    const [one, other] = [parse(written), parse(meant)];
    assert.ok(one.ok && other.ok);
    assert.deepEqual(shape(one.expr), shape(other.expr), written);
  }
});

test('problems say where and what to write instead', () => {
  const cases: [string, string][] = [
    ["wallet_account.adress == ''", 'field does not exist: adress (line 1, column 16); did you mean `address`?'],
    ["walet.id == ''", 'there is no `walet` (line 1, column 1); did you mean `wallet`?'],
    ["eth.to == ''", 'field does not exist: to (line 1, column 5); did you mean `tx`?'],
    ['eth.tx.chainId == 1', 'field does not exist: chainId (line 1, column 8); did you mean `chain_id`?'],
    ["wallet.id ==\n  'x' &&\n  eth.tx.valu > 1", 'field does not exist: valu (line 3, column 10); did you mean `value`?'],
    ["eth.tx.contract_call_args.to == ''", "field does not exist: to (line 1, column 27); read an entry with `['to']`"],
    [
      "solana.tx.transfers.to == ''",
      'field does not exist: to (line 1, column 21); this is a list: use an index, or `all`, `any` or `filter`',
    ],
    ['wallets.filter.count() > 1', '`filter` is a function (line 1, column 9); call it: `list<T>.filter(name, bool): list<T>`'],
    [
      'wallets.size() > 1',
      'there is no function `size` (line 1, column 9); there are all, any, filter, contains, count, hex_to_uint',
    ],
    ['wallets.cuont() > 1', 'there is no function `cuont` (line 1, column 9); did you mean `count`?'],
    ["activity.kind.contains('x')", '`contains` needs a list, but this is `string` (line 1, column 1)'],
    ["wallet.imported == 'true'", '`==` cannot compare `bool` with `string` (line 1, column 1)'],
    ['wallets == []', '`==` cannot compare `list<Wallet>` with `list<dynamic>` (line 1, column 1); use `in`, or `all` and `any`'],
    [
      "eth.tx.value > '5'",
      '`>` needs two integers or two timestamps, but this is `string` (line 1, column 16); write the number without quotes',
    ],
    ["wallet.id in 'x'", '`in` needs a list on its right, but this is `string` (line 1, column 14)'],
    ["wallet.id in [1, 'x']", 'the items of a list must have one type, not `int` and `string` (line 1, column 18)'],
    ['wallet.id && true', '`&&` needs a bool, but this is `string` (line 1, column 1)'],
    [
      "eth.eip_712.message['ok']",
      'the condition must be a bool, but this is `dynamic` (line 1, column 1); compare it with `== true`',
    ],
    ["wallet['id'] == ''", '`Wallet` cannot be indexed (line 1, column 1); read a field with `.name`'],
    ["eth.tx.data['0'] == ''", 'the index of `hex` must be an integer, but this is `string` (line 1, column 13)'],
    ['{ a: 1, a: 2 }.a == 1', 'the field `a` is given twice (line 1, column 9)'],
    ["Count('x')", 'there is no function `Count` (line 1, column 1)'],
    [
      "eth == ''",
      '`eth` alone is not a value (line 1, column 1); there are `eth.tx`, `eth.txs`, `eth.eip_712`, `eth.eip_7702_authorization`',
    ],
    ['wallets.any(w, w.idd == wallet.id)', 'field does not exist: idd (line 1, column 18); did you mean `id`?'],
    ['wallets.any(true)', 'expected a variable name: `.any(item, …)`, but found `true` (line 1, column 13)'],
    [`1 == ${'9'.repeat(100)}`, 'the number is out of range (line 1, column 6); the range is -2^127 to 2^256 - 1'],
    ["wallet.id == 'x", "unexpected character `'` (line 1, column 14); the string is not closed; strings have no escapes"],
    ['wallet.id == ‘x’', "unexpected character `‘` (line 1, column 14); quote strings with `'`"],
    ['', 'accepted'],
  ];
  for (const [source, wanted] of cases) assert.equal(errorOf(source), wanted);
});

test('one slip is reported once, several are reported together', () => {
  const compiled = compilePolicy(
    {
      effect: 'EFFECT_ALLOW',
      condition: "walet.id == 'x' && !eth.tx.valu && wallet.labl in []",
      consensus: 'aprovers',
      time: 'no',
    },
    environment,
  );
  assert.ok(!compiled.ok);
  assert.deepEqual(
    compiled.errors.map(({ part, span }) => `${part} ${span.column}`),
    ['condition 1', 'condition 28', 'condition 43', 'consensus 1', 'time 1'],
  );
});

test('names of prototypes are no fields', () => {
  for (const name of ['constructor', '__proto__', 'toString', 'hasOwnProperty']) {
    assert.match(errorOf(`wallet.${name} == ''`), /field does not exist/);
    assert.match(errorOf(`${name}.x == ''`), /there is no/);
    assert.match(errorOf(`wallets.${name}(x)`), /there is no function/);
    assert.equal(errorOf(`{ ${name}: 1 }.${name} == 1`), 'accepted');
  }
});
