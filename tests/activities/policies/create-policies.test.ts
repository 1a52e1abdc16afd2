import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resultOf } from '../../support/client.ts';
import { sharedInstance, startInstance } from '../../support/instance.ts';
import { refused, refusesEach } from '../../support/refusals.ts';
import { count } from '../support.ts';

const instance = await sharedInstance();

const TYPE = 'CREATE_POLICIES';
const KEY = 'createPoliciesResult';
const policy = (policyName: string, more: object = {}) => ({ policyName, effect: 'EFFECT_ALLOW', notes: '', ...more });

test('several at once, in the order in which they were given', async () => {
  const policies = [policy('b', { condition: 'false' }), policy('a', { effect: 'EFFECT_DENY', condition: 'false', time: '' })];
  const { policyIds } = resultOf(await instance.root.submit(TYPE, { policies }), KEY);
  const { policies: shown } = (await instance.root.query('list_policies')).body;
  assert.deepEqual(
    shown.map((p: { policyId: string; policyName: string; effect: string }) => [p.policyId, p.policyName, p.effect]),
    [
      [policyIds[0], 'b', 'EFFECT_ALLOW'],
      [policyIds[1], 'a', 'EFFECT_DENY'],
    ],
  );
});

test('all of them, or none', async () => {
  const before = await count(instance.root, 'list_policies', 'policies');
  await refusesEach(instance.root, TYPE, [
    [
      { policies: [policy('c'), policy('d', { condition: 'x' })] },
      'parameters.policies[1].condition',
      /invalid policy condition/,
    ],
    [
      { policies: [policy('c'), policy('d', { consensus: 'x' })] },
      'parameters.policies[1].consensus',
      /invalid policy consensus/,
    ],
    [{ policies: [policy('c'), policy('d', { time: 'x' })] }, 'parameters.policies[1].time', /invalid policy time/],
    [{ policies: [policy('c'), policy('c')] }, 'parameters.policies[1].policyName', /policy label must be unique/],
    [{ policies: [policy('c'), policy('a')] }, 'parameters.policies[1].policyName', /policy label must be unique/],
  ]);
  assert.equal(await count(instance.root, 'list_policies', 'policies'), before);
  resultOf(await instance.root.submit(TYPE, { policies: [policy('c', { condition: 'false' })] }), KEY);
});

test('as many as there is room for', async () => {
  const few = await startInstance({ LIMIT_POLICIES: '2' });
  try {
    const answer = await few.root.submit(TYPE, { policies: ['1', '2', '3'].map((name) => policy(name)) });
    refused(answer, [429, 'UNSPECIFIED', /limit of 2 policies/]);
    assert.equal(await count(few.root, 'list_policies', 'policies'), 0);
    resultOf(await few.root.submit(TYPE, { policies: ['1', '2'].map((name) => policy(name)) }), KEY);
  } finally {
    await few.close();
  }
});

test('bad parameters are named', () =>
  refusesEach(instance.root, TYPE, [
    [{ policies: [policy('x'), policy('')] }, 'parameters.policies[1].policyName', /must not be empty/],
  ]));
