import assert from 'node:assert/strict';
import { test } from 'node:test';
import { address, type Network, networks } from 'bitcoinjs-lib';
import { program, run } from '../../src/policy/evaluate/evaluate.ts';
import {
  buildIndex,
  candidates,
  compileCondition,
  compilePolicy,
  decide,
  evaluateExpression,
  explain,
  openRequest,
  type Part,
  parse,
  type Roots,
  shownValue,
} from '../../src/policy/index.ts';
import { check } from '../../src/policy/language/check.ts';
import { rounds } from '../support/full.ts';
import fc from '../support/properties.ts';
import { environment } from './agreement.ts';

/** true, false or the failure's code. */
function value(source: string, roots: Roots = {}, part: Part = 'condition', lenient = false): unknown {
  const parsed = parse(source);
  assert.ok(parsed.ok, source);
  const checked = check(parsed.expr, part, environment);
  assert.ok(checked.ok, checked.ok ? '' : checked.problems[0]?.message);
  const result = run(program(parsed.expr, checked.facts, lenient ? 'lenient' : 'strict'), openRequest(roots));
  return result.ok ? result.value : result.failure.code;
}

const message = (entries: Record<string, unknown>): Roots => ({ 'eth.eip_712': { message: entries } }) as Roots;

test('dynamic values compare as what they turn out to be', () => {
  const given = message({ n: 5n, s: '5', z: '05', t: 'x', b: true, l: [1n], m: { k: 1n }, e: null, j: 7 });
  const at = (expression: string): unknown => value(expression.replace(/@(\w)/g, "eth.eip_712.message['$1']"), given);
  assert.deepEqual(
    ['@n == 5', "@n == '5'", '@s == 5', '@z == 5', "@z == '5'", '@t == 5', '@n == @s', '@b == true', '@j == 7'].map(at),
    [true, true, true, true, false, false, true, true, true],
  );
  for (const wrong of [
    "@b == 'x'",
    '@l == 5',
    "@m == 'x'",
    '@e == 5',
    '@t != true',
    '@t < 5',
    '@l.any(x, x == true)',
    "@l['k'] == 1",
    '@m[0] == 1',
    '@n.count() == 1',
    '@n[0] == 1',
  ]) {
    assert.equal(at(wrong), 'kind', wrong);
  }
  assert.equal(at("@m['k'] == 1 && @l[0] == 1 && @t[0] == 'x' && @l.count == 1 && @t[0..1] == 'x'"), true);
  assert.equal(at("@m['q'] == 1"), 'missing');
  // A comparison that holds does not hide one that fails.
  assert.equal(value("5 in eth.eip_712.message['l']", message({ l: [5n, true] })), 'kind');
  assert.equal(value("eth.eip_712.message['l'].contains('5')", message({ l: [[], 5n] })), 'kind');
  assert.equal(value("eth.eip_712.message['n'] < 5", message({ n: '1'.repeat(81) })), 'kind');
  assert.equal(value("eth.eip_712.message['n'] > 5", message({ n: '1'.repeat(80) })), true);
});

test('large integers compare by value', () => {
  const given = message({ n: 2n ** 300n, s: '1'.repeat(80) });
  assert.equal(
    value("eth.eip_712.message['n'] > 115792089237316195423570985008687907853269984665640564039457584007913129639935", given),
    true,
  );
  assert.equal(value("eth.eip_712.message['s'] > 170141183460469231731687303715884105728", given), true);
  assert.equal(value('-170141183460469231731687303715884105728 < 0'), true);
});

test('hexadecimal text ignores case where it should', () => {
  const tx = { 'eth.tx': { to: '0xAB', data: '0xABCDEF', function_name: '0xAB', type: 'Legacy' } } as Roots;
  assert.equal(value("eth.tx.to == '0xab' && eth.tx.data[2..4] == 'ab' && eth.tx.data[2] == 'a'", tx), true);
  assert.equal(value("eth.tx.function_name == '0xab'", tx), true);
  assert.equal(value("eth.tx.type == 'legacy'", tx), false);
  assert.equal(value("'cd' in [eth.tx.data[4..6], 'zz'] && 'cd' in ['zz', eth.tx.data[4..6]]", tx), true);
  assert.equal(value("'0XAB' in ['0xab'] || '0xg' == '0xG' || '0x' in ['0X']"), false);
  assert.equal(value("'cd' in [eth.tx.data[2..4], eth.tx.data[4..6]]", tx), true);
  assert.equal(value("eth.tx.data[2..4] in ['ab'] && ['ab'].contains(eth.tx.data[2..4])", tx), true);
  assert.equal(value("eth.tx.to == '\u212a'", { 'eth.tx': { to: 'k' } } as Roots), false);
});

test('Bitcoin addresses are what they stand for: on every network the same, of every kind', () => {
  const names = ['bitcoin', 'testnet', 'regtest'] as const;
  const hash = fc.uint8Array({ minLength: 20, maxLength: 20 });
  const program = fc.oneof(hash, fc.uint8Array({ minLength: 32, maxLength: 32 }));
  const scripts: fc.Arbitrary<(network: Network) => string> = fc.oneof(
    hash.map((bytes) => (network: Network) => address.toBase58Check(bytes, network.pubKeyHash)),
    hash.map((bytes) => (network: Network) => address.toBase58Check(bytes, network.scriptHash)),
    program.map((bytes) => (network: Network) => address.toBech32(bytes, 0, network.bech32)),
    program.map((bytes) => (network: Network) => address.toBech32(bytes, 1, network.bech32).toUpperCase()),
  );
  const network = fc.constantFrom(...names).map((name) => networks[name]);
  fc.assert(
    fc.property(scripts, scripts, network, network, (one, other, here, there) => {
      const given = { 'bitcoin.tx': { outputs: [{ address: one(here) }] } } as unknown as Roots;
      const output = 'bitcoin.tx.outputs[0].address';
      assert.equal(value(`${output} == '${one(there)}' && ${output} in ['x', '${one(there)}']`, given), true);
      assert.equal(value(`bitcoin.tx.outputs.any(o, '${one(there)}' == o.address)`, given), true);
      assert.equal(value(`${output} == '${other(there)}'`, given), one(here).toLowerCase() === other(here).toLowerCase());
      assert.equal(value(`'${one(here)}' == '${one(there)}'`, given), here.bech32 === there.bech32 || one(here) === one(there));
    }),
  );
  const empty = { 'bitcoin.tx': { outputs: [{ address: '' }] } } as unknown as Roots;
  assert.equal(value("bitcoin.tx.outputs[0].address == '' && bitcoin.tx.outputs[0].address != 'bc1'", empty), true);
});

test('UUIDs ignore case, and nothing that only resembles one does', () => {
  const id = '0198c6f0-0000-7000-8000-0000000000ab';
  const given = { wallet: { id } } as Roots;
  assert.equal(value(`wallet.id == '${id.toUpperCase()}' && wallet.id in ['${id.toUpperCase()}']`, given), true);
  assert.equal(value(`wallet.id != '${id.toUpperCase()}'`, given), false);
  for (const other of [`${id}0`, id.slice(1), id.replaceAll('-', 'a'), id.replace('b', 'g'), `{${id}}`])
    assert.equal(value(`'${other}' == '${other.toUpperCase()}'`, given), false, other);
});

test('nothing is short-circuited, and absence goes first in any order', () => {
  const given = { wallet: { id: 'w' }, 'eth.tx': { data: '0x' } } as Roots;
  assert.equal(value("wallet.id == 'w' || private_key.id == 'k'", given), 'absent');
  assert.equal(value("wallet.id == 'x' && eth.tx.data[0..9] == ''", given), 'range');
  assert.equal(value("eth.tx.data[0..9] == '' || private_key.id == 'k'", given), 'absent');
  assert.equal(value("private_key.id == 'k' || eth.tx.data[0..9] == ''", given), 'absent');
  assert.equal(value("wallet.id in ['w', private_key.id]", given), 'absent');
  assert.equal(value('[1, 2].all(x, x == 3 || private_key.imported)', given), 'absent');
  assert.equal(value('eth.tx.data[9..10].hex_to_uint() > 0', given), 'range');
});

test('a clause that fails is false in a lenient scope, but never where that could widen it', () => {
  const given = { 'eth.tx': { to: '0x1', data: '0x', contract_call_args: {} } } as Roots;
  const lenient = (source: string): unknown => value(source, given, 'condition', true);
  assert.equal(lenient("eth.tx.to == '0x1' || eth.tx.data[0..10] == ''"), true);
  assert.equal(lenient("eth.tx.to == '0x1' && eth.tx.data[0..10] == ''"), false);
  assert.equal(lenient("!(eth.tx.data[0..10] == '')"), false);
  assert.equal(lenient("!(eth.tx.to == '0x2' || eth.tx.data[0..10] == '')"), false);
  assert.equal(lenient("(eth.tx.data[0..10] == '') == false"), false);
  assert.equal(lenient("[1, 2].any(x, x == 2 || eth.tx.data[0..10] == '')"), true);
  assert.equal(lenient("[1, 2].filter(x, eth.tx.data[0..10] == '').count() == 0"), false);
  assert.equal(lenient("!([1].any(x, eth.tx.data[0..10] == ''))"), false);
});

test('work is bounded, also where the failure is hidden by another', () => {
  const approvers = Array.from({ length: 1000 }, (_, id) => ({ id: String(id), tags: ['a'.repeat(100_000)] }));
  const people = { approvers } as Roots;
  const nested = 'approvers.all(a, approvers.all(b, approvers.all(c, true)))';
  assert.equal(value(nested, people, 'consensus'), 'steps');
  assert.equal(value(nested, people, 'consensus', true), 'steps');
  assert.equal(
    value('approvers.all(a, approvers.all(b, approvers.all(c, a.id == approvers[5000].id)))', people, 'consensus'),
    'range',
  );
  const text = { tags: ['a'.repeat(1_000_000)] };
  const texts = { approvers: Array.from({ length: 300 }, () => text) } as Roots;
  assert.equal(
    value(`approvers.all(a, approvers.any(b, a.tags[0] in ['${'b'.repeat(9)}'] || a.tags[0] == 'x'))`, texts, 'consensus'),
    'steps',
  );
  assert.equal(value('approvers.all(a, a.tags[0].hex_to_uint() == 1)', texts, 'consensus'), 'hex');
  const long = approvers.slice(0, 100).map(({ id }) => ({ id, tags: [`${'a'.repeat(100_000)}${id.padStart(3)}`] }));
  assert.equal(
    value('approvers.all(a, approvers.all(b, a.tags.contains(b.tags[0])))', { approvers: long } as Roots, 'consensus'),
    'steps',
  );
});

test('a root is called when it is needed, and once', () => {
  let calls = 0;
  const request = openRequest({
    'eth.tx': () => {
      calls += 1;
      return { to: '0x1', value: BigInt(calls) };
    },
    wallet: () => assert.fail('not needed'),
  });
  const compiled = compilePolicy(
    { effect: 'EFFECT_ALLOW', condition: "eth.tx.to == '0x1' && eth.tx.value == 1 && eth.tx.value < 2" },
    environment,
  );
  assert.ok(compiled.ok);
  assert.equal(explain(compiled.policy, request, [], 0).outcome, 'OUTCOME_ALLOW');
  assert.equal(calls, 1);
});

test('a root that throws or is not what was declared fails, and is not absent', () => {
  const throwing = { 'eth.tx': () => assert.fail('no such transaction') } as unknown as Roots;
  assert.equal(value('eth.tx.value == 0', throwing), 'value');
  assert.equal(value('eth.tx.value == 0', { 'eth.tx': 'text' } as Roots), 'value');
  assert.equal(value('eth.tx.value == 0', { 'eth.tx': { value: '1' } } as Roots), 'value');
  assert.equal(value('eth.tx.value == 0', { 'eth.tx': { value: 1.5 } } as Roots), 'value');
  assert.equal(value('eth.tx.value == 0', { 'eth.tx': {} } as Roots), 'missing');
  assert.equal(value('eth.tx.value == 0', { 'eth.tx': undefined }), 'absent');
  const getter = {
    get value(): bigint {
      throw new Error('broken');
    },
  };
  assert.equal(value('eth.tx.value == 0', { 'eth.tx': getter } as unknown as Roots), 'internal');
  const pinned = compilePolicy({ effect: 'EFFECT_DENY', condition: "eth.tx.to == '0x1'" }, environment);
  assert.ok(pinned.ok);
  const thrower = {
    get to(): string {
      throw new Error('broken');
    },
  };
  assert.equal(candidates(buildIndex([{ id: 'd', policy: pinned.policy }]), openRequest({ 'eth.tx': thrower })).length, 1);
});

test('whatever the host hands over, nothing is thrown', () => {
  const conditions = [
    "eth.tx.to == '0x1' && eth.tx.value > 5",
    "wallets.any(w, w.id in ['a', 'b'] || w.imported)",
    "activity.params.user_ids.count() > 0 && activity.type == 'A'",
    "eth.eip_712.message['a'][0]['b'] == 5 || eth.eip_712.message['c'].all(x, x < 5)",
    "secret.static_properties['a'][0..1] == 'x'",
  ];
  const policies = conditions.flatMap((condition) =>
    (['EFFECT_ALLOW', 'EFFECT_DENY'] as const).map((effect) => {
      const compiled = compilePolicy({ effect, condition }, environment);
      assert.ok(compiled.ok);
      return { id: `${effect} ${condition}`, policy: compiled.policy };
    }),
  );
  const index = buildIndex(policies);
  const keywords = [...environment.roots.keys()];
  const junk = fc.anything({
    withBigInt: true,
    withMap: true,
    withNullPrototype: true,
    withTypedArray: true,
    withDate: true,
    key: fc.constantFrom('to', 'id', 'type', 'params', 'message', 'a', 'value'),
  });
  const roots = fc.dictionary(fc.constantFrom(...keywords), junk);
  fc.assert(
    fc.property(roots, (given) => {
      const request = openRequest(given as Roots);
      const base = { index, elements: [request], defaultAllowance: false, nowMs: 0 };
      decide({ ...base, voters: [{ user: { id: 'u' }, credentials: [] }], rootQuorum: { userIds: [], threshold: 1 } });
    }),
    { numRuns: rounds(1000), seed: 1 },
  );
});

test('prototypes are never followed', () => {
  const inherited = Object.create({ id: 'w' });
  assert.equal(value("wallet.id == 'w'", { wallet: inherited }), 'missing');
  assert.equal(value("secret.static_properties['constructor'] == ''", { secret: { static_properties: {} } }), 'missing');
  assert.equal(value("secret.static_properties['__proto__'] == ''", { secret: { static_properties: {} } }), 'missing');
  assert.equal(value("wallet.id == 'w'", Object.create({ wallet: { id: 'w' } })), 'absent');
  const bare = Object.assign(Object.create(null), { kind: 'x' });
  assert.equal(value("secret.static_properties['kind'] == 'x'", { secret: { static_properties: bare } }), true);
  assert.equal(
    value("secret.static_properties['kind'] == 'x'", { secret: { static_properties: new Map([['kind', 'x']]) } }),
    true,
  );
});

test('a parameter of another type is absent, one that is merely not given is missing', () => {
  const activity = (type: string): Roots => ({ activity: { type, params: {} } });
  assert.equal(value("activity.params.user_id == ''", activity('ACTIVITY_TYPE_CREATE_WALLET')), 'absent');
  assert.equal(value("activity.params.user_id == ''", activity('ACTIVITY_TYPE_CREATE_API_KEYS')), 'missing');
  assert.equal(value("activity.params.user_id == ''", activity('constructor')), 'absent');
});

test('variables hide what has the same name, inside their predicate only', () => {
  const given = { wallet: { id: 'w' }, wallets: [{ id: 'a' }, { id: 'b' }] } as Roots;
  assert.equal(value("wallets.any(wallet, wallet.id == 'b') && wallet.id == 'w'", given), true);
  assert.equal(value("wallets.all(x, wallets.filter(x, x.id == 'b').count() == 1 && x.id != 'c')", given), true);
  assert.equal(value("wallets.filter(x, x.id == 'a').all(y, wallets.any(x, x.id == y.id))", given), true);
});

test('structs and mixed lists', () => {
  assert.equal(value("{ a: 1, b: { c: ['x'] } }.b.c[0] == 'x'"), true);
  assert.equal(
    value("[{ id: 'a', n: 1 }, { id: 'b', n: 170141183460469231731687303715884105728 }].filter(x, x.n > 1)[0].id == 'b'"),
    true,
  );
  assert.equal(value('[].all(x, x == 1) && [].count == 0 && !(1 in [])'), true);
  assert.equal(value('[[1], [2, 3]][1][1] == 3'), true);
  assert.equal(value('[1, 2, 3][1..3].count() == 2 && [1][0..0].count() == 0'), true);
  assert.equal(value('[1, 2, 3][2..1].count() == 2'), 'range');
  assert.equal(value("'abc'[170141183460469231731687303715884105728] == 'a'"), 'range');
  assert.equal(value("'0xFF'.hex_to_uint() == 255 && 'ff'.hex_to_uint() == 255"), true);
  for (const text of ['', '0x', 'zz', 'f'.repeat(65)]) assert.equal(value(`'${text}'.hex_to_uint() == 0`), 'hex', text);
});

test('a blank condition is true, and an error of a lone condition says where', () => {
  const blank = compileCondition('  ', environment);
  assert.ok(blank.ok);
  assert.deepEqual(evaluateExpression(blank.expression, openRequest({})), { ok: true, value: true });
  const failing = compileCondition("true &&\n eth.tx.to == ''", environment);
  assert.ok(failing.ok);
  assert.deepEqual(evaluateExpression(failing.expression, openRequest({})), {
    ok: false,
    message: 'condition: `eth.tx` is absent: the activity has none (line 2, column 2)',
  });
});

test('an explanation shows clauses, values and the clause that failed', () => {
  const condition =
    "activity.action == 'SIGN' && (eth.tx.value < 5 || eth.tx.to == '0x1') && wallets.all(w, w.id == wallet.id) && eth.tx.to[0..2] == '0x'";
  const compiled = compilePolicy({ effect: 'EFFECT_ALLOW', condition, consensus: 'approvers.count() >= 2' }, environment);
  assert.ok(compiled.ok);
  const request = openRequest({
    activity: { action: 'SIGN' },
    'eth.tx': { value: 7n, to: '0x2' },
    wallet: { id: 'w' },
    wallets: [],
  });
  const found = explain(compiled.policy, request, [{ user: { id: 'u' }, credentials: [] }], 0);
  assert.equal(found.outcome, 'OUTCOME_DENY_IMPLICIT');
  assert.deepEqual(
    found.clauses.map(({ text, result }) => [text, result]),
    [
      ["activity.action == 'SIGN'", 'true'],
      ["(eth.tx.value < 5 || eth.tx.to == '0x1')", 'false'],
      ['wallets.all(w, w.id == wallet.id)', 'true'],
      ["eth.tx.to[0..2] == '0x'", 'true'],
      ['approvers.count() >= 2', 'false'],
    ],
  );
  assert.equal(found.failed?.text, "(eth.tx.value < 5 || eth.tx.to == '0x1')");
  assert.deepEqual(Object.fromEntries(found.values.map(({ path, value: seen }) => [path, seen])), {
    'activity.action': 'SIGN',
    'eth.tx.value': 7n,
    'eth.tx.to': '0x2',
    'eth.tx.to[0..2]': '0x',
    wallets: [],
    'wallet.id': 'w',
    approvers: [{ id: 'u' }],
  });
});

test('a value is shown as the beginning of its JSON', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), (json) => {
      const text = JSON.stringify(json);
      assert.equal(shownValue(json), text.length > 500 ? `${text.slice(0, 500)}…` : text);
    }),
    {
      numRuns: rounds(500),
      examples: [['\u0000'.repeat(600)], [Array(300).fill('ab')], [{ ['k'.repeat(700)]: 1 }], [[[], {}, [null]]]],
    },
  );
  assert.equal(shownValue([5n, new Map([['a', 6n]])]), '["5",{"a":"6"}]');
});
