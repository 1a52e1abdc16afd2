import assert from 'node:assert/strict';
import { test } from 'node:test';
import { approvedBy, denied, newPolicy } from '../../e2e/authority.ts';
import { resultOf } from '../../support/client.ts';
import { NOBODY, refused, refusesEach } from '../../support/refusals.ts';
import { agreed, refusedToNobody, sharedPair } from '../support.ts';
import { liveOf, newDeployment, newLiveApp } from './support.ts';

const { instance, pair } = await sharedPair();
const { root } = instance;

const TYPE = 'UPDATE_TVC_APP_LIVE_DEPLOYMENT';
const KEY = 'updateTvcAppLiveDeploymentResult';

test('an approved deployment takes the place of the live one, which can then be deleted', async () => {
  const { appId, live, approve } = await newLiveApp(root);
  const next = await newDeployment(root, appId);
  await approve(next);
  assert.equal(await liveOf(root, appId), live.deploymentId);
  assert.deepEqual(resultOf(await root.submit(TYPE, { deploymentId: next.deploymentId }), KEY), {});
  assert.equal(await liveOf(root, appId), next.deploymentId);
  resultOf(await root.submit('DELETE_TVC_DEPLOYMENT', { deploymentId: live.deploymentId }), 'deleteTvcDeploymentResult');
  refused(
    await root.submit(TYPE, { deploymentId: live.deploymentId }),
    [400, 'REQUEST_INVALID', /names a deleted deployment/],
    'parameters.deploymentId',
  );
  assert.equal(await liveOf(root, appId), next.deploymentId);
});

test('a deployment with too few approvals is refused', async () => {
  const { appId, live } = await newLiveApp(root);
  const { deploymentId } = await newDeployment(root, appId);
  refused(await root.submit(TYPE, { deploymentId }), [400, 'REQUEST_INVALID', /too few approvals/], 'parameters.deploymentId');
  assert.equal(await liveOf(root, appId), live.deploymentId);
});

test('a deployment of another organization is not found', async () => {
  const { live } = await newLiveApp(root);
  const missing = /^deployment not found: parameters\.deploymentId names /;
  refused(await root.submit(TYPE, { deploymentId: NOBODY }), [404, 'UNSPECIFIED', missing]);
  const { activity } = (await agreed(pair, TYPE, { deploymentId: live.deploymentId })).body;
  assert.match(activity.failure.message, missing);
});

test('a policy names the deployment, and any other user is refused', async () => {
  const { client, userId } = await instance.newUser('Releases');
  const { live } = await newLiveApp(root);
  const { live: other } = await newLiveApp(root);
  const condition = `activity.resource == 'TVC_APP' && activity.action == 'UPDATE' && activity.params.deployment_id == '${live.deploymentId}'`;
  await newPolicy(root, { condition, consensus: approvedBy(userId) });
  denied(await client.submit(TYPE, { deploymentId: other.deploymentId }));
  resultOf(await client.submit(TYPE, { deploymentId: live.deploymentId }), KEY);
  await refusedToNobody(instance, TYPE, { deploymentId: live.deploymentId });
});

test('bad parameters are named', () =>
  refusesEach(root, TYPE, [[{ deploymentId: 'x' }, 'parameters.deploymentId', /must be a UUID/]]));
