import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resultOf } from '../../support/client.ts';
import { NOBODY, refused } from '../../support/refusals.ts';
import { sharedPair, waitsForBoth } from '../support.ts';
import { velocityControl } from './support.ts';

const { instance, pair } = await sharedPair();
const TYPE = 'DELETE_VELOCITY_CONTROL';

async function create(identifier: string): Promise<string> {
  const answer = await instance.root.submit('CREATE_VELOCITY_CONTROL', velocityControl({ identifier }));
  return resultOf(answer, 'createVelocityControlResult').velocityControlId;
}

test('a deleted control is gone, and its identifier is free', async () => {
  const velocityControlId = await create('first');
  const result = resultOf(await instance.root.submit(TYPE, { velocityControlId }), 'deleteVelocityControlResult');
  assert.deepEqual(result, { velocityControlId });
  refused(await instance.root.query('get_velocity_control', { velocityControlId }), [404, 'UNSPECIFIED', /not found/]);
  refused(await instance.root.submit(TYPE, { velocityControlId }), [404, 'UNSPECIFIED', /velocity control not found/]);
  refused(await instance.root.submit(TYPE, { velocityControlId: NOBODY }), [404, 'UNSPECIFIED', /velocity control not found/]);
  await create('first');
});

test('a control that a policy reads is not deleted, and the refusal names the policy', async () => {
  const velocityControlId = await create('second');
  const policy = { policyName: 'Reads', effect: 'EFFECT_DENY', condition: '!controls.second', notes: '' };
  const { policyId } = resultOf(await instance.root.submit('CREATE_POLICY_V3', policy), 'createPolicyResult');
  refused(await instance.root.submit(TYPE, { velocityControlId }), [400, 'REQUEST_INVALID', new RegExp(`first: ${policyId}`)]);
  resultOf(await instance.root.submit('DELETE_POLICY', { policyId }), 'deletePolicyResult');
  resultOf(await instance.root.submit(TYPE, { velocityControlId }), 'deleteVelocityControlResult');
});

test('a deletion waits for both root users', async () => {
  const [first, second] = pair.clients;
  const body = first.bodyOf('CREATE_VELOCITY_CONTROL', velocityControl());
  await first.send('/public/v1/submit/create_velocity_control', body);
  const made = await second.send('/public/v1/submit/create_velocity_control', body);
  const { velocityControlId } = resultOf(made, 'createVelocityControlResult');
  await waitsForBoth(pair, TYPE, { velocityControlId }, 'deleteVelocityControlResult');
});
