/** Text types that the caller defines: the language itself does not know how they compare. */
import assert from 'node:assert/strict';
import { globSync, readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { evaluateCondition } from '../../src/policy/evaluate/outcome.ts';
import {
  buildIndex,
  candidates,
  compilePolicy,
  decide,
  type Effect,
  literalWarnings,
  makeEnvironment,
  openRequest,
  STRING,
  struct,
  textOf,
  warnings,
} from '../../src/policy/index.ts';
import { environment as whole } from './agreement.ts';

/** Texts such as `name:a` and `name:A`, which mean the same. */
const form = (name: string) => {
  const key = (text: string) => (text.startsWith(`${name}:`) ? text.toLowerCase() : undefined);
  return textOf({ name, key, longest: 20, steps: 3 });
};
const one = form('one');
const environment = makeEnvironment([
  { keyword: 'thing', part: 'condition', type: struct('Thing', { one, same: one, other: form('other'), text: STRING }) },
  { keyword: 'listed.thing', part: 'condition', type: struct('Listed', { one }), indexed: ['one'] },
]);
const roots = { thing: { one: 'one:A', same: 'one:a', other: 'other:A', text: 'one:a' }, 'listed.thing': { one: 'one:A' } };

function outcome(condition: string): unknown {
  const compiled = compilePolicy({ effect: 'EFFECT_ALLOW', condition }, environment);
  if (!compiled.ok) return compiled.errors[0]!.message;
  const result = evaluateCondition(compiled.policy, openRequest(roots));
  return result.ok ? result.value : result.failure.code;
}

test('texts of a form compare by its key, with each other and with strings', () => {
  for (const condition of [
    'thing.one == thing.same',
    "thing.one == 'one:a'",
    'thing.one == thing.text',
    "thing.one in ['x', 'one:a']",
    "'one:a' in [thing.one, 'x']",
    "listed.thing.one == 'one:a'",
    "thing.other != 'one:a'",
    "thing.text != 'one:A'",
  ])
    assert.equal(outcome(condition), true, condition);
});

test('a field by which policies are found is pinned by its key', () => {
  const compiled = compilePolicy({ effect: 'EFFECT_ALLOW', condition: "listed.thing.one == 'one:a'" }, environment);
  assert.ok(compiled.ok);
  assert.deepEqual(
    compiled.policy.pins.map(({ name, keys }) => [name, ...keys]),
    [['listed.thing.one:one', 'one:a']],
  );
});

test('two forms have no equality in common', () => {
  assert.match(String(outcome('thing.one == thing.other')), /cannot compare/);
  assert.match(String(outcome('thing.one in [thing.other]')), /cannot/);
  assert.match(String(outcome('[thing.one, thing.other].count() == 2')), /must have one type, not `one` and `other`/);
});

test('a form has no equality in common with caseless texts', () => {
  assert.match(String(outcome("thing.one == CaseInsensitiveString('one:a')")), /`one` with `caseless`/);
  assert.match(String(outcome("CaseInsensitiveString(thing.one) == 'one:a'")), /needs a string, but this is `one`/);
  assert.equal(outcome("CaseInsensitiveString(thing.text) == 'ONE:A'"), true);
});

test('a caseless text is no key of a map, which would ignore that it is caseless', () => {
  const errors = (condition: string) => {
    const compiled = compilePolicy({ effect: 'EFFECT_DENY', condition }, whole);
    return compiled.ok ? [] : compiled.errors.map(({ message }) => message);
  };
  const args = 'solana.tx.instructions[0].parsed_instruction_data.program_call_args';
  for (const map of [args, 'eth.eip_712.message']) {
    assert.deepEqual(errors(`${map}['Key'] == CaseInsensitiveString('x')`), []);
    assert.match(errors(`${map}[CaseInsensitiveString('Key')] == 'x'`)[0]!, /must be a text that compares exactly/);
  }
});

test('comparing without case takes about as long as other comparisons with the same steps', () => {
  const of = (text: string) => {
    const listed = `[${Array.from({ length: 20 }, () => `'${text.toUpperCase()}'`).join()}]`;
    const fastest = (condition: string): number => {
      const compiled = compilePolicy({ effect: 'EFFECT_ALLOW', condition }, whole);
      assert.ok(compiled.ok);
      const request = openRequest({ 'eth.tx': { data: text } });
      const took = Array.from({ length: 12 }, () => {
        const begun = performance.now();
        assert.deepEqual(evaluateCondition(compiled.policy, request), { ok: true, value: true });
        return performance.now() - begun;
      });
      return Math.min(...took);
    };
    const all = (by: string) => fastest(`${listed}.all(a, ${listed}.all(b, eth.tx.data == ${by}))`);
    return all('CaseInsensitiveString(a)') / all('a');
  };
  const ratio = of(`0x${'aB'.repeat(150)}`);
  assert.ok(ratio < 5, `${ratio} times as long`);
});

/** The decision on signing with this wallet, and whether the policy was found at all. */
function decided(effect: Effect, condition: string, id: string): [string, number] {
  const made = (source: string, as: Effect) => compilePolicy({ effect: as, condition: source }, whole);
  const [policy, rest] = [made(condition, effect), made("activity.action == 'SIGN'", 'EFFECT_ALLOW')];
  assert.ok(policy.ok && rest.ok);
  const others = effect === 'EFFECT_DENY' ? [{ id: 'rest', policy: rest.policy }] : [];
  const index = buildIndex([{ id: 'it', policy: policy.policy }, ...others]);
  const request = openRequest({ activity: { action: 'SIGN' }, wallet: { id }, wallet_account: { address: id } });
  const voters = [{ user: { id: 'u' }, credentials: [] }];
  const rootQuorum = { userIds: [], threshold: 1 };
  const { outcome: found } = decide({ index, elements: [request], rootQuorum, voters, defaultAllowance: false, nowMs: 0 });
  return [found, candidates(index, request).filter((each) => each.id === 'it').length];
}

test('the index never looks a caseless text up, so that a DENY on it holds in any case', () => {
  for (const condition of [
    "wallet.id == CaseInsensitiveString('Hot')",
    "CaseInsensitiveString(wallet.id) == 'Hot'",
    "CaseInsensitiveString(wallet.id) in ['x', 'HOT']",
    "wallet.id in [CaseInsensitiveString('hOT')]",
    "activity.action == 'SIGN' && wallet_account.address == CaseInsensitiveString('hOt')",
    "wallet.id == 'x' || wallet.id == CaseInsensitiveString('hOT')",
  ])
    for (const id of ['hot', 'HOT', 'Hot']) {
      assert.deepEqual(decided('EFFECT_DENY', condition, id), ['OUTCOME_DENY_EXPLICIT', 1], condition);
      assert.deepEqual(decided('EFFECT_ALLOW', condition, id), ['OUTCOME_ALLOW', 1], condition);
      assert.equal(decided('EFFECT_DENY', condition, `${id}2`)[0], 'OUTCOME_ALLOW', condition);
    }
});

test('a misspelt name of a closed list is found in a caseless text too, and a name in another case is none', () => {
  const near = (condition: string) => literalWarnings(condition, 'condition', whole).map((one) => one.unknown?.near);
  for (const condition of [
    "activity.kind == CaseInsensitiveString('sign_transacton')",
    "CaseInsensitiveString('SIGN_TRANSACTON') == activity.kind",
    "CaseInsensitiveString(activity.kind) == 'sign_transacton'",
    "CaseInsensitiveString(activity.kind) in ['SIGN_TRANSACTON', 'sign_transaction']",
    "activity.kind in [CaseInsensitiveString('SIGN_TRANSACTON')]",
  ])
    assert.deepEqual(near(condition), ['SIGN_TRANSACTION'], condition);
  const quiet = [
    "activity.kind == CaseInsensitiveString('sign_transaction') && eth.tx.value > 5",
    "CaseInsensitiveString(activity.type) == 'activity_type_sign_transaction_v2' && solana.tx.transfers.count() == 0",
    `solana.tx.account_keys.contains(CaseInsensitiveString('${'l'.repeat(44)}'))`,
    `wallet_account.address == CaseInsensitiveString('0X${'AB'.repeat(20)}')`,
  ];
  for (const condition of quiet) {
    const compiled = compilePolicy({ effect: 'EFFECT_DENY', condition }, whole);
    assert.ok(compiled.ok);
    assert.deepEqual(warnings(compiled.policy, whole), [], condition);
  }
  const never = (condition: string) => literalWarnings(condition, 'condition', whole).map(({ text }) => text);
  assert.deepEqual(never("wallet_account.address == CaseInsensitiveString('0Xab')"), ["'0Xab'"]);
  assert.deepEqual(never("eth.tx.data[0..10] == CaseInsensitiveString('0xAB')"), ["'0xAB'"]);
});

test('the language names no chain and no type of activity', () => {
  const chains = readdirSync('src/chains', { withFileTypes: true }).flatMap((each) => (each.isDirectory() ? [each.name] : []));
  const names = chains.filter((name) => name !== 'shared' && name !== 'generic');
  assert.ok(names.length > 8);
  const named = new RegExp(`ACTIVITY_TYPE_|\\beth\\b|${names.join('|')}`, 'i');
  for (const file of globSync('src/policy/**/*.ts')) {
    const code = readFileSync(file, 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '');
    assert.equal(named.exec(code)?.[0], undefined, file);
  }
});
