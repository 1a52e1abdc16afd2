import assert from 'node:assert/strict';
import { test } from 'node:test';
import { approvedBy, denied, newPolicy } from '../../e2e/authority.ts';
import { resultOf } from '../../support/client.ts';
import { NOBODY, refused, refusesEach } from '../../support/refusals.ts';
import { agreed, refusedToNobody, sharedPair } from '../support.ts';
import { deploymentSeen, newApp, newDeployment, newLiveApp, newOperator } from './support.ts';

const { instance, pair } = await sharedPair();
const { root } = instance;

const TYPE = 'DELETE_TVC_DEPLOYMENT';
const KEY = 'deleteTvcDeploymentResult';
const newIdle = async () => (await newDeployment(root, (await newApp(root, [newOperator()])).appId)).deploymentId;

test('a deleted deployment stays listed, and is deleted once', async () => {
  const { appId } = await newApp(root, [newOperator()]);
  const made = [await newDeployment(root, appId), await newDeployment(root, appId)].map(({ deploymentId }) => deploymentId);
  const [deploymentId] = made as [string, string];
  assert.deepEqual(resultOf(await root.submit(TYPE, { deploymentId }), KEY), { deploymentId });
  const { tvcDeployments } = (await root.query('list_tvc_app_deployments', { appId })).body;
  assert.deepEqual(
    tvcDeployments.map((one: { id: string; delete: boolean }) => [one.id, one.delete]),
    made.map((id) => [id, id === deploymentId]),
  );
  refused(
    await root.submit(TYPE, { deploymentId }),
    [400, 'REQUEST_INVALID', /names a deleted deployment/],
    'parameters.deploymentId',
  );
});

test('the live deployment is not deleted', async () => {
  const { live } = await newLiveApp(root);
  const { deploymentId } = live;
  refused(await root.submit(TYPE, { deploymentId }), [400, 'REQUEST_INVALID', /names the live deployment/]);
  assert.equal((await deploymentSeen(root, deploymentId)).delete, false);
});

test('a deployment of another organization is not found', async () => {
  const missing = /^deployment not found: parameters\.deploymentId names /;
  const deploymentId = await newIdle();
  refused(await root.submit(TYPE, { deploymentId: NOBODY }), [404, 'UNSPECIFIED', missing]);
  assert.match((await agreed(pair, TYPE, { deploymentId })).body.activity.failure.message, missing);
  assert.equal((await deploymentSeen(root, deploymentId)).delete, false);
});

test('a policy names the deployment, and any other user is refused', async () => {
  const { client, userId } = await instance.newUser('Deletes');
  const [deploymentId, other] = [await newIdle(), await newIdle()];
  const condition = `activity.resource == 'TVC_DEPLOYMENT' && activity.action == 'DELETE' && activity.params.deployment_id == '${deploymentId}'`;
  await newPolicy(root, { condition, consensus: approvedBy(userId) });
  denied(await client.submit(TYPE, { deploymentId: other }));
  resultOf(await client.submit(TYPE, { deploymentId }), KEY);
  await refusedToNobody(instance, TYPE, { deploymentId: other });
});

test('bad parameters are named', () =>
  refusesEach(root, TYPE, [[{ deploymentId: 'x' }, 'parameters.deploymentId', /must be a UUID/]]));
