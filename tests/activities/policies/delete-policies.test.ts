import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resultOf } from '../../support/client.ts';
import { NOBODY, refused, refusesEach } from '../../support/refusals.ts';
import { agreed, count, sharedPair } from '../support.ts';

const { instance, pair } = await sharedPair();

const TYPE = 'DELETE_POLICIES';
const KEY = 'deletePoliciesResult';
let made = 0;
const three = () => ({
  policies: [1, 2, 3].map(() => ({ policyName: `policy ${++made}`, effect: 'EFFECT_ALLOW', condition: 'false', notes: '' })),
});
const newPolicies = async (): Promise<string[]> =>
  resultOf(await instance.root.submit('CREATE_POLICIES', three()), 'createPoliciesResult').policyIds;

test('several at once', async () => {
  const [a, b, c] = await newPolicies();
  assert.deepEqual(resultOf(await instance.root.submit(TYPE, { policyIds: [c, a] }), KEY), { policyIds: [c, a] });
  const { policies } = (await instance.root.query('list_policies')).body;
  assert.deepEqual(
    policies.map((p: { policyId: string }) => p.policyId),
    [b],
  );
});

test('all of them, or none', async () => {
  const [a, b] = await newPolicies();
  const theirs = resultOf(await agreed(pair, 'CREATE_POLICIES', three()), 'createPoliciesResult').policyIds;
  const before = await count(instance.root, 'list_policies', 'policies');
  for (const id of [NOBODY, theirs[0]])
    refused(await instance.root.submit(TYPE, { policyIds: [a, id, b] }), [404, 'UNSPECIFIED', /policy not found: .*policyIds/]);
  assert.equal(await count(instance.root, 'list_policies', 'policies'), before);
  assert.equal(await count(pair.parent, 'list_policies', 'policies'), 3);
});

test('bad parameters are named', () =>
  refusesEach(instance.root, TYPE, [[{ policyIds: [NOBODY, 'x'] }, 'parameters.policyIds[1]', /must be a UUID/]]));
