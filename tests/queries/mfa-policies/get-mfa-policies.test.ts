import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getMfaPolicies } from '../../../src/queries/mfa-policies/get-mfa-policies.ts';
import { newPolicy, newUser } from '../../activities/mfa-policies/support.ts';
import { sharedInstance } from '../../support/instance.ts';
import { NOBODY, refused } from '../../support/refusals.ts';

const instance = await sharedInstance();

test('those of a user in the order in which they are asked: by order, then by creation', async () => {
  const { userId } = await newUser(instance.root, 'One');
  assert.deepEqual((await instance.root.query('get_mfa_policies', { userId })).body, { mfaPolicies: [] });
  const orders = [2, 0, 2, 1];
  const ids: string[] = [];
  for (const order of orders) ids.push(await newPolicy(instance.root, userId, { order }));
  const other = await newUser(instance.root, 'Other');
  await newPolicy(instance.root, other.userId);
  const { body } = await instance.root.query('get_mfa_policies', { userId });
  assert.deepEqual(getMfaPolicies.result.parse(body), body, 'the answer has its declared shape');
  assert.deepEqual(
    body.mfaPolicies.map((policy: { mfaPolicyId: string }) => policy.mfaPolicyId),
    [ids[1], ids[3], ids[0], ids[2]],
  );
});

test('whose user is not there, or of another organization', async () => {
  const below = await instance.newSubOrganization('Below', 1, 1);
  for (const userId of [NOBODY, below.userIds[0]])
    refused(await instance.root.query('get_mfa_policies', { userId }), [404, 'UNSPECIFIED', /user not found: userId names/]);
  const parent = instance.root.as(instance.root.keys, below.organizationId);
  assert.deepEqual((await parent.query('get_mfa_policies', { userId: below.userIds[0] })).body, { mfaPolicies: [] });
});
