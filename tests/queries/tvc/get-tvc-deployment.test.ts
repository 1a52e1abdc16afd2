import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getTvcDeployment } from '../../../src/queries/tvc/get-tvc-deployment.ts';
import { newLiveApp } from '../../activities/tvc/support.ts';
import { sharedInstance } from '../../support/instance.ts';
import { NOBODY, refused } from '../../support/refusals.ts';

const instance = await sharedInstance();
const { root } = instance;

test('a deployment has the operators of both sets, its manifest and the approvals', async () => {
  const { appId, operator, operatorId, live } = await newLiveApp(root);
  const { body } = await root.query('get_tvc_deployment', { deploymentId: live.deploymentId });
  assert.deepEqual(getTvcDeployment.result.parse(body), body);
  const { manifestSet, shareSet, manifest, manifestApprovals } = body.tvcDeployment;
  assert.deepEqual([body.tvcDeployment.appId, manifest.id], [appId, live.manifestId]);
  assert.deepEqual([manifestSet.operators.length, shareSet.operators.length], [1, 2]);
  assert.deepEqual(manifestApprovals[0].operator, manifestSet.operators[0]);
  assert.deepEqual([manifestSet.operators[0].id, manifestSet.operators[0].publicKey], [operatorId, operator.publicKey]);
});

test('a deployment of another organization is not found', async () => {
  const sub = (await instance.newSubOrganization('Sub', 1, 1)).clients[0]!;
  const { live } = await newLiveApp(root);
  const missing: [number, string, RegExp] = [404, 'UNSPECIFIED', /^deployment not found: deploymentId names /];
  refused(await sub.query('get_tvc_deployment', { deploymentId: live.deploymentId }), missing);
  refused(await root.query('get_tvc_deployment', { deploymentId: NOBODY }), missing);
});
