import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resultOf } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';
import { NOBODY, refused } from '../../support/refusals.ts';
import { newPolicy, newUser, policiesOf } from './support.ts';

const instance = await sharedInstance();

const TYPE = 'DELETE_MFA_POLICY';
const KEY = 'deleteMfaPolicyResult';

test('a policy goes, and the others of its user stay', async () => {
  const { userId } = await newUser(instance.root, 'Two');
  const [gone, left] = [await newPolicy(instance.root, userId), await newPolicy(instance.root, userId)];
  const done = await instance.root.submit(TYPE, { userId, mfaPolicyId: gone });
  assert.deepEqual(resultOf(done, KEY), { mfaPolicyId: gone });
  assert.deepEqual(
    (await policiesOf(instance.root, userId)).map((policy) => policy.mfaPolicyId),
    [left],
  );
  refused(await instance.root.submit(TYPE, { userId, mfaPolicyId: gone }), [404, 'UNSPECIFIED', /mfa policy not found/]);
});

test('whose user or policy is not there, and a policy of another user', async () => {
  const [one, other] = [await newUser(instance.root, 'Has'), await newUser(instance.root, 'Has none')];
  const mfaPolicyId = await newPolicy(instance.root, one.userId);
  for (const asked of [
    { userId: one.userId, mfaPolicyId: NOBODY },
    { userId: other.userId, mfaPolicyId },
  ])
    refused(await instance.root.submit(TYPE, asked), [404, 'UNSPECIFIED', /mfa policy not found: parameters\.mfaPolicyId names/]);
  const below = await instance.newSubOrganization('Below', 1, 1);
  for (const client of [instance.root.as(below.clients[0]!.keys, below.organizationId)])
    refused(await client.submit(TYPE, { userId: one.userId, mfaPolicyId }), [404, 'UNSPECIFIED', /user not found/]);
  assert.equal((await policiesOf(instance.root, one.userId)).length, 1);
});

test('a policy that permits it lets another user help', async () => {
  const [one, helper] = [await newUser(instance.root, 'Locked out'), await newUser(instance.root, 'Helper')];
  const mfaPolicyId = await newPolicy(instance.root, one.userId);
  const asked = { userId: one.userId, mfaPolicyId };
  refused(await helper.client.submit(TYPE, asked), [403, 'REQUEST_NOT_AUTHORIZED', /./]);
  const condition = "activity.resource == 'MFA_POLICY' && activity.action == 'DELETE'";
  const consensus = `approvers.any(user, user.id == '${helper.userId}')`;
  const policy = { policyName: 'recovery', effect: 'EFFECT_ALLOW', condition, consensus, notes: '' };
  resultOf(await instance.root.submit('CREATE_POLICY_V3', policy), 'createPolicyResult');
  resultOf(await helper.client.submit(TYPE, asked), KEY);
});
