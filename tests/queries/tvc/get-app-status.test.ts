import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getAppStatus } from '../../../src/queries/tvc/get-app-status.ts';
import { deploymentSeen, newApp, newDeployment, newLiveApp, newOperator } from '../../activities/tvc/support.ts';
import { sharedInstance } from '../../support/instance.ts';
import { refused } from '../../support/refusals.ts';

const instance = await sharedInstance();
const { root } = instance;

const statusOf = async (appId: string) => {
  const { body } = await root.query('get_app_status', { appId });
  assert.deepEqual(getAppStatus.result.parse(body), body);
  return body.appStatus;
};

test('without a runner no replica is ready, and a deleted deployment wants none', async () => {
  const { appId, live } = await newLiveApp(root);
  const { deploymentId } = await newDeployment(root, appId);
  await root.submit('DELETE_TVC_DEPLOYMENT', { deploymentId });
  const state = async (id: string, desiredReplicas: number) => {
    const { updatedAt: lastUpdatedTime } = await deploymentSeen(root, id);
    return {
      deploymentId: id,
      readyReplicas: 0,
      desiredReplicas,
      lastUpdatedTime,
      provisioningState: 'PROVISIONING_STATE_PENDING',
    };
  };
  assert.deepEqual(await statusOf(appId), {
    appId,
    targetedDeploymentId: live.deploymentId,
    deployments: [await state(live.deploymentId, 1), await state(deploymentId, 0)],
  });
});

test('an app without a live deployment targets none', async () => {
  const { appId } = await newApp(root, [newOperator()]);
  assert.deepEqual(await statusOf(appId), { appId, targetedDeploymentId: '', deployments: [] });
});

test('an app of another organization is not found', async () => {
  const sub = (await instance.newSubOrganization('Sub', 1, 1)).clients[0]!;
  const { appId } = await newApp(root, [newOperator()]);
  const missing: [number, string, RegExp] = [404, 'UNSPECIFIED', /^verifiable app not found: appId names /];
  refused(await sub.query('get_app_status', { appId }), missing);
});
