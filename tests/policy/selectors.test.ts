import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compilePolicy, translateSelectors } from '../../src/policy/index.ts';
import { environment } from './agreement.ts';

function translated(...selectors: [subject: string, operator: string, ...targets: string[]][]): unknown {
  const given = selectors.map(([subject, operator, ...targets]) =>
    targets.length === 1
      ? { subject, operator: `OPERATOR_${operator}`, target: targets[0] }
      : { subject, operator: `OPERATOR_${operator}`, targets },
  );
  const result = translateSelectors(given, environment);
  if (!result.ok) return result.errors.map(({ selector, part, message }) => `${selector} ${part}: ${message}`);
  const { condition, consensus } = result;
  assert.ok(compilePolicy({ effect: 'EFFECT_ALLOW', condition, consensus }, environment).ok);
  return { condition, consensus };
}

test('every operator', () => {
  for (const [selector, condition] of [
    [['activity.type', 'EQUAL', 'A'], "activity.type == 'A'"],
    [['activity.type', 'EQUAL', 'A', 'B'], "activity.type in ['A', 'B']"],
    [['activity.type', 'NOT_EQUAL', 'A'], "activity.type != 'A'"],
    [['activity.type', 'NOT_EQUAL', 'A', 'B'], "!(activity.type in ['A', 'B'])"],
    [['eth.tx.value', 'MORE_THAN', '5'], 'eth.tx.value > 5'],
    [['eth.tx.value', 'MORE_THAN_OR_EQUAL', '5'], 'eth.tx.value >= 5'],
    [['eth.tx.nonce', 'LESS_THAN', '5'], 'eth.tx.nonce < 5'],
    [['eth.tx.nonce', 'LESS_THAN_OR_EQUAL', '5'], 'eth.tx.nonce <= 5'],
    [['private_key.tags', 'CONTAINS', 't'], "private_key.tags.contains('t')"],
    [['private_key.tags', 'CONTAINS_ONE', 't', 'u'], "private_key.tags.contains('t') || private_key.tags.contains('u')"],
    [['private_key.tags', 'CONTAINS_ALL', 't', 'u'], "private_key.tags.contains('t') && private_key.tags.contains('u')"],
    [['wallet_account.path_indexes', 'CONTAINS', '44'], 'wallet_account.path_indexes.contains(44)'],
    [['wallet.id', 'IN', 'a'], "wallet.id in ['a']"],
    [['wallet.id', 'NOT_IN', 'a', "b'"], `!(wallet.id in ['a', "b'"])`],
    [['wallet.label', 'EQUAL', '5'], "wallet.label == '5'"],
    [['wallet.imported', 'EQUAL', 'true'], 'wallet.imported == true'],
  ] as [[string, string, ...string[]], string][]) {
    assert.deepEqual(translated(selector), { condition, consensus: '' });
  }
});

test('selectors are joined; those about the user hold for one and the same', () => {
  assert.deepEqual(
    translated(
      ['activity.type', 'EQUAL', 'A'],
      ['user.tags', 'CONTAINS_ONE', 't', 'u'],
      ['private_key.tags', 'CONTAINS_ONE', 'x', 'y'],
      ['user.id', 'NOT_EQUAL', 'z'],
    ),
    {
      condition: "activity.type == 'A' && (private_key.tags.contains('x') || private_key.tags.contains('y'))",
      consensus: "approvers.any(user, (user.tags.contains('t') || user.tags.contains('u')) && user.id != 'z')",
    },
  );
  assert.deepEqual(translated(), { condition: '', consensus: '' });
});

test('what cannot be translated is refused', () => {
  for (const [selector, message] of [
    [['activity.typ', 'EQUAL', 'A'], '0 condition: field does not exist: activity.typ'],
    [['user.name', 'EQUAL', 'A'], '0 consensus: field does not exist: user.name'],
    [['true || activity.type', 'EQUAL', 'A'], '0 condition: `true || activity.type` is not the name of a field'],
    [['approvers', 'CONTAINS', 'A'], '0 condition: field does not exist: approvers'],
    [['activity.type', 'LIKE', 'A'], '0 condition: there is no operator `OPERATOR_LIKE`'],
    [['activity.type', 'toString', 'A'], '0 condition: there is no operator `OPERATOR_toString`'],
    [['activity.type', 'MORE_THAN', 'A'], '0 condition: `>` needs two integers or two timestamps, but this is `string`'],
    [['eth.tx.value', 'MORE_THAN', '1', '2'], '0 condition: OPERATOR_MORE_THAN takes one target'],
    [['activity.type', 'IN'], '0 condition: a selector needs a target'],
    [['activity.type', 'EQUAL', `'"`], '0 condition: a target cannot have both kinds of quotes'],
    [['activity.type', 'CONTAINS', 'A'], '0 condition: `contains` needs a list, but this is `string`'],
  ] as [[string, string, ...string[]], string][]) {
    assert.deepEqual(translated(selector), [message]);
  }
});
