import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getPolicy } from '../../../src/queries/policies/get-policy.ts';
import { type Client, resultOf } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';
import { hidesOthers } from '../support.ts';

const instance = await sharedInstance();

const newPolicy = async (client: Client, more: object): Promise<string> => {
  const policy = { policyName: 'One', effect: 'EFFECT_DENY', notes: 'why', ...more };
  return resultOf(await client.submit('CREATE_POLICY_V3', policy), 'createPolicyResult').policyId;
};

test('one policy; texts that it does not have are empty, and a time that it does not have is not there', async () => {
  const policyId = await newPolicy(instance.root, { condition: 'false' });
  const { body } = await instance.root.query('get_policy', { policyId });
  assert.deepEqual(getPolicy.result.parse(body), body, 'the answer has its declared shape');
  const { createdAt, updatedAt, ...rest } = body.policy;
  assert.deepEqual(rest, { policyId, policyName: 'One', effect: 'EFFECT_DENY', condition: 'false', consensus: '', notes: 'why' });
  assert.deepEqual(createdAt, updatedAt);
  assert.ok(Math.abs(Number(createdAt.seconds) * 1000 - instance.clock.now()) < 60_000);
});

test('its time, where it has one', async () => {
  const time = "CronSpan('0 9 * * *', '8h', 'Europe/Vienna')";
  const policyId = await newPolicy(instance.root, { policyName: 'Timed', condition: 'false', time });
  assert.equal((await instance.root.query('get_policy', { policyId })).body.policy.time, time);
});

test('the parent reads it; elsewhere it is nothing', async () => {
  const sub = await instance.newSubOrganization('Sub', 1, 1);
  const policyId = await newPolicy(sub.clients[0]!, { policyName: 'Theirs' });
  const parent = instance.root.as(instance.root.keys, sub.organizationId);
  assert.equal((await parent.query('get_policy', { policyId })).body.policy.policyName, 'Theirs');
  await hidesOthers(instance.root, 'get_policy', 'policyId', policyId, /policy not found/);
});
