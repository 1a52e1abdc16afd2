import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sharedInstance } from '../../support/instance.ts';
import { ask, proofsOf } from './support.ts';

const instance = await sharedInstance();
const { root } = instance;

test('the proofs of an activity are those of its answer; an activity that did not ask has none', async () => {
  const answer = await ask(root, 'CREATE_WALLET', { walletName: 'Proven', accounts: [] });
  const appProofs = proofsOf(answer);
  const { id: activityId } = answer.body.activity;
  assert.deepEqual((await root.query('list_app_proofs', { activityId })).body, { appProofs });
  const plain = (await root.submit('CREATE_WALLET', { walletName: 'Plain', accounts: [] })).body.activity;
  assert.deepEqual((await root.query('list_app_proofs', { activityId: plain.id })).body, { appProofs: [] });
});

test('an unknown activity is not found, and neither is one of another organization', async () => {
  const { clients } = await instance.newSubOrganization('Other', 1, 1);
  const elsewhere = await ask(clients[0]!, 'CREATE_WALLET', { walletName: 'Theirs', accounts: [] });
  for (const activityId of [elsewhere.body.activity.id, '01900000-0000-7000-8000-000000000000'])
    assert.equal((await root.query('list_app_proofs', { activityId })).status, 404);
});
