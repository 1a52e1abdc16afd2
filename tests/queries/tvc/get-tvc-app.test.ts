import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getTvcApp } from '../../../src/queries/tvc/get-tvc-app.ts';
import { newApp, newLiveApp, newOperator } from '../../activities/tvc/support.ts';
import { sharedInstance } from '../../support/instance.ts';
import { NOBODY, refused } from '../../support/refusals.ts';

const instance = await sharedInstance();
const { root } = instance;
const MISSING: [number, string, RegExp] = [404, 'UNSPECIFIED', /^verifiable app not found: tvcAppId names /];

test('an app has what it was made with, and its live deployment', async () => {
  const { appId, live } = await newLiveApp(root, { enableEgress: true, enableDebugModeDeployments: true });
  const { body } = await root.query('get_tvc_app', { tvcAppId: appId });
  assert.deepEqual(getTvcApp.result.parse(body), body);
  const { enableEgress, enableDebugModeDeployments, liveDeploymentId } = body.tvcApp;
  assert.deepEqual([enableEgress, enableDebugModeDeployments, liveDeploymentId], [true, true, live.deploymentId]);
});

test('an app of another organization is not found', async () => {
  const sub = (await instance.newSubOrganization('Sub', 1, 1)).clients[0]!;
  const { appId } = await newApp(root, [newOperator()]);
  refused(await sub.query('get_tvc_app', { tvcAppId: appId }), MISSING);
  refused(await root.query('get_tvc_app', { tvcAppId: NOBODY }), MISSING);
});
