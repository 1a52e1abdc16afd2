import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getMfaPolicy } from '../../../src/queries/mfa-policies/get-mfa-policy.ts';
import { newPolicy, newUser, policiesOf } from '../../activities/mfa-policies/support.ts';
import { sharedInstance } from '../../support/instance.ts';
import { NOBODY, refused } from '../../support/refusals.ts';

const instance = await sharedInstance();

test('one policy', async () => {
  const { userId } = await newUser(instance.root, 'One');
  await newPolicy(instance.root, userId);
  const mfaPolicyId = await newPolicy(instance.root, userId, { order: 0 });
  const { body } = await instance.root.query('get_mfa_policy', { userId, mfaPolicyId });
  assert.deepEqual(getMfaPolicy.result.parse(body), body, 'the answer has its declared shape');
  assert.deepEqual(body.mfaPolicy, (await policiesOf(instance.root, userId))[0]);
});

test('a missing policy, one of another user, and one of another organization', async () => {
  const [one, other] = [await newUser(instance.root, 'Has'), await newUser(instance.root, 'Has none')];
  const mfaPolicyId = await newPolicy(instance.root, one.userId);
  const unknown = [404, 'UNSPECIFIED', /mfa policy not found: mfaPolicyId names/] as const;
  for (const asked of [
    { userId: one.userId, mfaPolicyId: NOBODY },
    { userId: other.userId, mfaPolicyId },
  ])
    refused(await instance.root.query('get_mfa_policy', asked), [...unknown]);
  const below = await instance.newSubOrganization('Below', 1, 1);
  const asked = { userId: one.userId, mfaPolicyId };
  refused(await below.clients[0]!.query('get_mfa_policy', asked), [404, 'UNSPECIFIED', /user not found/]);
});
