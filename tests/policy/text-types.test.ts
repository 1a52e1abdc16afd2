/** Text types that the caller defines: the language itself does not know how they compare. */
import assert from 'node:assert/strict';
import { globSync, readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { evaluateCondition } from '../../src/policy/evaluate/outcome.ts';
import { compilePolicy, makeEnvironment, openRequest, STRING, struct, textOf } from '../../src/policy/index.ts';

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
