import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deploymentOf, newApp, newOperator } from '../../activities/tvc/support.ts';
import { resultOf } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';

const { root } = await sharedInstance();

test('each version that is listed can be deployed, and the latest is the last of them', async () => {
  const { availableVersions, latestVersion } = (await root.query('get_tvc_qos_versions')).body;
  assert.deepEqual([availableVersions, latestVersion], [['countersign-1'], 'countersign-1']);
  const { appId } = await newApp(root, [newOperator()]);
  for (const qosVersion of availableVersions)
    resultOf(await root.submit('CREATE_TVC_DEPLOYMENT', deploymentOf(appId, { qosVersion })), 'createTvcDeploymentResult');
});
