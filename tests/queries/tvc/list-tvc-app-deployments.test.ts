import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listTvcAppDeployments } from '../../../src/queries/tvc/list-tvc-app-deployments.ts';
import { deploymentSeen, newApp, newDeployment, newLiveApp, newOperator } from '../../activities/tvc/support.ts';
import { sharedInstance } from '../../support/instance.ts';
import { refused } from '../../support/refusals.ts';

const instance = await sharedInstance();
const { root } = instance;

test('deployments of one app are listed in the order of their creation, each with its approvals', async () => {
  const { appId, live } = await newLiveApp(root);
  await newDeployment(root, (await newApp(root, [newOperator()])).appId);
  const ids = [live.deploymentId];
  // More than the first slice has, and large ones.
  for (let i = 0; i < 7; i++) ids.push((await newDeployment(root, appId, { pivotArgs: ['a'.repeat(30_000)] })).deploymentId);
  const { body } = await root.query('list_tvc_app_deployments', { appId });
  assert.deepEqual(listTvcAppDeployments.result.parse(body), body);
  assert.deepEqual(body.tvcDeployments, await Promise.all(ids.map((id) => deploymentSeen(root, id))));
  assert.equal(body.tvcDeployments[0].manifestApprovals.length, 1);
});

test('an app of another organization is not found', async () => {
  const sub = (await instance.newSubOrganization('Sub', 1, 1)).clients[0]!;
  const { appId } = await newApp(root, [newOperator()]);
  const missing: [number, string, RegExp] = [404, 'UNSPECIFIED', /^verifiable app not found: appId names /];
  refused(await sub.query('list_tvc_app_deployments', { appId }), missing);
});
