import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listPolicies } from '../../../src/queries/policies/list-policies.ts';
import { resultOf } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';

const instance = await sharedInstance();

const policies = (...names: string[]) => ({
  policies: names.map((policyName) => ({ policyName, effect: 'EFFECT_DENY', condition: 'false', notes: '' })),
});

test('none at first; then all, in the order of creation, each as get_policy shows it', async () => {
  assert.deepEqual((await instance.root.query('list_policies')).body, { policies: [] });
  const answer = await instance.root.submit('CREATE_POLICIES', policies('c', 'a', 'b'));
  const { policyIds } = resultOf(answer, 'createPoliciesResult');
  const { body } = await instance.root.query('list_policies');
  assert.deepEqual(listPolicies.result.parse(body), body, 'the answer has its declared shape');
  const one = async (policyId: string) => (await instance.root.query('get_policy', { policyId })).body.policy;
  assert.deepEqual(body.policies, await Promise.all(policyIds.map(one)));
});

test('each organization’s own; the parent reads those of its sub-organizations', async () => {
  const sub = await instance.newSubOrganization('Sub', 1, 1);
  resultOf(await sub.clients[0]!.submit('CREATE_POLICIES', policies('theirs')), 'createPoliciesResult');
  const parent = instance.root.as(instance.root.keys, sub.organizationId);
  const names = (await parent.query('list_policies')).body.policies.map((p: { policyName: string }) => p.policyName);
  assert.deepEqual(names, ['theirs']);
  assert.equal((await instance.root.query('list_policies')).body.policies.length, 3);
});
