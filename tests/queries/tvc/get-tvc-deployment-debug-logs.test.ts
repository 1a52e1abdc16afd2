import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newApp, newDeployment, newOperator } from '../../activities/tvc/support.ts';
import { sharedInstance } from '../../support/instance.ts';
import { refused, refusesEachQuery } from '../../support/refusals.ts';

const instance = await sharedInstance();
const { root } = instance;

const QUERY = 'get_tvc_deployment_debug_logs';
const { appId } = await newApp(root, [newOperator()], 1, { enableDebugModeDeployments: true });
const { deploymentId } = await newDeployment(root, appId, { debugMode: true });

test('a deployment that never ran has no logs, and one without debug mode never has any', async () => {
  assert.deepEqual((await root.query(QUERY, { deploymentId, tailLines: 5, sinceSeconds: '60' })).body, { entries: [] });
  const plain = await newDeployment(root, appId);
  refused(
    await root.query(QUERY, { deploymentId: plain.deploymentId }),
    [400, 'REQUEST_INVALID', /without debugMode, of which no logs are kept/],
    'deploymentId',
  );
});

test('a deployment of another organization is not found', async () => {
  const sub = (await instance.newSubOrganization('Sub', 1, 1)).clients[0]!;
  refused(await sub.query(QUERY, { deploymentId }), [404, 'UNSPECIFIED', /^deployment not found: deploymentId names /]);
});

test('bad parameters are named', () =>
  refusesEachQuery(root, QUERY, [
    [{ deploymentId, tailLines: 0 }, 'tailLines', /from 1 to 10000/],
    [{ deploymentId, sinceSeconds: '-1' }, 'sinceSeconds', /positive whole number of seconds/],
    [{ deploymentId: 'x' }, 'deploymentId', /must be a UUID/],
  ]));
