import assert from 'node:assert/strict';
import { test } from 'node:test';
import { activities } from '../../src/activities/index.ts';
import { laterParameters } from '../../src/app/later-parameters.ts';
import { policyEnvironment } from '../../src/app/policy-environment.ts';
import { chainPolicyTypes } from '../../src/chains/policy-types.ts';
import { transactionTypes } from '../../src/chains/transactions.ts';
import { misfit } from '../../src/cli/policy/roots.ts';
import { environmentOf } from '../../src/engine/decision/policy-environment.ts';
import { interfaceNames } from '../../src/model/interface-names.ts';
import { describeEnvironment, INT, type ParameterTable, STRING } from '../../src/policy/index.ts';
import { samples } from '../support/all-samples.ts';

const { parameters } = describeEnvironment(policyEnvironment);
const withLater = (later: ParameterTable) => describeEnvironment(environmentOf(activities, chainPolicyTypes, later));

test('the values that an activity shows to policies have the types that it declares', () => {
  let shown = 0;
  for (const kind of activities) {
    const { type, version } = [...kind.versions.values()].at(-1)!;
    const intent = kind.params.raise(version, kind.params.schema(version).parse(samples(kind.kind)));
    const params = kind.policyParams(intent, { element: 0, subject: undefined });
    for (const [name, value] of Object.entries(params)) {
      // It is read from the database.
      if (value === undefined) continue;
      assert.equal(misfit(value, kind.policyTypes[name]!, `${type}.${name}`), undefined);
      shown++;
    }
  }
  assert.ok(shown > 10);
});

test('every version of a kind shows the same parameters, and all of them', () => {
  for (const kind of activities)
    for (const type of kind.versions.keys()) assert.deepEqual(parameters[type] ?? [], Object.keys(kind.policyTypes), type);
});

test('parameters for later are those of types that the interface names', () => {
  for (const type of Object.keys(laterParameters)) assert.ok(interfaceNames.type.includes(type), type);
});

test('served parameters win over those written down for later', () => {
  const later = { ACTIVITY_TYPE_CREATE_API_KEYS: { of_old: STRING }, ACTIVITY_TYPE_CREATE_WALLET: { of_old: STRING } };
  assert.deepEqual(withLater(later).parameters.ACTIVITY_TYPE_CREATE_API_KEYS, ['user_id']);
  assert.deepEqual(withLater(later).parameters.ACTIVITY_TYPE_CREATE_WALLET, []);
  assert.deepEqual(
    withLater({ ACTIVITY_TYPE_CREATE_SWAP_QUOTE: { subject: STRING } }).parameters.ACTIVITY_TYPE_CREATE_SWAP_QUOTE,
    ['subject'],
  );
});

test('a parameter has one type, whichever activity shows it', () => {
  assert.throws(
    () => withLater({ ACTIVITY_TYPE_CREATE_SWAP_QUOTE: { user_id: INT } }),
    /activity\.params\.user_id is declared as string, and by ACTIVITY_TYPE_CREATE_SWAP_QUOTE as int/,
  );
});

test('every transaction type has its root in the language', () => {
  for (const { root } of transactionTypes) assert.ok(policyEnvironment.signed.includes(root), root);
});
