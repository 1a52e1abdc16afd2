import assert from 'node:assert/strict';
import { test } from 'node:test';
import { approvedBy } from '../../e2e/authority.ts';
import { resultOf } from '../../support/client.ts';
import { NOBODY, refused } from '../../support/refusals.ts';
import { agreed, sharedPair } from '../support.ts';

const { instance, pair } = await sharedPair();

const TYPE = 'DELETE_POLICY';
const KEY = 'deletePolicyResult';
let made = 0;
const policy = (more: object = {}) => ({
  policyName: `policy ${++made}`,
  effect: 'EFFECT_ALLOW',
  condition: 'false',
  notes: '',
  ...more,
});
const newPolicy = async (more: object = {}): Promise<string> =>
  resultOf(await instance.root.submit('CREATE_POLICY_V3', policy(more)), 'createPolicyResult').policyId;

test('it is gone, and says nothing any more', async () => {
  const { client, userId } = await instance.newUser('Allowed');
  const policyId = await newPolicy({
    policyName: 'again',
    condition: "activity.kind == 'CREATE_WALLET'",
    consensus: approvedBy(userId),
  });
  resultOf(await client.submit('CREATE_WALLET', { walletName: 'One', accounts: [] }), 'createWalletResult');
  assert.deepEqual(resultOf(await instance.root.submit(TYPE, { policyId }), KEY), { policyId });
  const answer = await client.submit('CREATE_WALLET', { walletName: 'Two', accounts: [] });
  refused(answer, [403, 'REQUEST_NOT_AUTHORIZED', /sufficient permissions/]);
  assert.equal((await instance.root.query('get_policy', { policyId })).status, 404);
  const again = await newPolicy({ policyName: 'again', condition: 'false' });
  assert.notEqual(again, policyId);
});

test('one that is not there, one that is gone, and another organization’s', async () => {
  const policyId = await newPolicy({ condition: 'false' });
  resultOf(await instance.root.submit(TYPE, { policyId }), KEY);
  const theirs = resultOf(await agreed(pair, 'CREATE_POLICY_V3', policy()), 'createPolicyResult').policyId;
  for (const id of [NOBODY, policyId, theirs])
    refused(await instance.root.submit(TYPE, { policyId: id }), [404, 'UNSPECIFIED', /policy not found: parameters\.policyId/]);
  assert.equal((await pair.parent.query('get_policy', { policyId: theirs })).status, 200);
});
