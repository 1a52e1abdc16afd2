import assert from 'node:assert/strict';
import { test } from 'node:test';
import { approvedBy, denied, newPolicy } from '../../e2e/authority.ts';
import { resultOf } from '../../support/client.ts';
import { NOBODY, refused, refusesEach } from '../../support/refusals.ts';
import { agreed, refusedToNobody, sharedPair } from '../support.ts';
import { deploymentSeen, newApp, newDeployment, newLiveApp, newOperator } from './support.ts';

const { instance, pair } = await sharedPair();
const { root } = instance;

const TYPE = 'RESTORE_TVC_DEPLOYMENT';
const KEY = 'restoreTvcDeploymentResult';

async function newDeleted(): Promise<string> {
  const { deploymentId } = await newDeployment(root, (await newApp(root, [newOperator()])).appId);
  resultOf(await root.submit('DELETE_TVC_DEPLOYMENT', { deploymentId }), 'deleteTvcDeploymentResult');
  return deploymentId;
}

test('a deleted deployment is restored, once', async () => {
  const deploymentId = await newDeleted();
  assert.deepEqual(resultOf(await root.submit(TYPE, { deploymentId }), KEY), { deploymentId });
  assert.equal((await deploymentSeen(root, deploymentId)).delete, false);
  refused(await root.submit(TYPE, { deploymentId }), [400, 'REQUEST_INVALID', /that is not deleted/], 'parameters.deploymentId');
});

test('a restored deployment that was approved can be live', async () => {
  const { appId, approve } = await newLiveApp(root);
  const next = await newDeployment(root, appId);
  await approve(next);
  const { deploymentId } = next;
  for (const type of ['DELETE_TVC_DEPLOYMENT', TYPE, 'UPDATE_TVC_APP_LIVE_DEPLOYMENT'])
    assert.equal((await root.submit(type, { deploymentId })).body.activity.status, 'ACTIVITY_STATUS_COMPLETED');
});

test('a deployment of a deleted app stays deleted', async () => {
  const { appId, live } = await newLiveApp(root);
  await root.submit('DELETE_TVC_APP_AND_DEPLOYMENTS', { appId });
  const { deploymentId } = live;
  refused(await root.submit(TYPE, { deploymentId }), [400, 'REQUEST_INVALID', /of a deleted app/], 'parameters.deploymentId');
  assert.equal((await deploymentSeen(root, deploymentId)).delete, true);
});

test('a deployment of another organization is not found', async () => {
  const missing = /^deployment not found: parameters\.deploymentId names /;
  const deploymentId = await newDeleted();
  refused(await root.submit(TYPE, { deploymentId: NOBODY }), [404, 'UNSPECIFIED', missing]);
  assert.match((await agreed(pair, TYPE, { deploymentId })).body.activity.failure.message, missing);
});

test('a policy names the deployment, and any other user is refused', async () => {
  const { client, userId } = await instance.newUser('Restores');
  const [deploymentId, other] = [await newDeleted(), await newDeleted()];
  const condition = `activity.kind == '${TYPE}' && activity.action == 'UPDATE' && activity.params.deployment_id == '${deploymentId}'`;
  await newPolicy(root, { condition, consensus: approvedBy(userId) });
  denied(await client.submit(TYPE, { deploymentId: other }));
  resultOf(await client.submit(TYPE, { deploymentId }), KEY);
  await refusedToNobody(instance, TYPE, { deploymentId: other });
});

test('bad parameters are named', () =>
  refusesEach(root, TYPE, [[{ deploymentId: 'x' }, 'parameters.deploymentId', /must be a UUID/]]));
