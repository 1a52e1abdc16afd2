import assert from 'node:assert/strict';
import { test } from 'node:test';
import { approvedBy, denied, newPolicy } from '../../e2e/authority.ts';
import { resultOf } from '../../support/client.ts';
import { NOBODY, refused, refusesEach } from '../../support/refusals.ts';
import { agreed, refusedToNobody, sharedPair } from '../support.ts';
import { liveOf, newApp, newDeployment, newLiveApp, newOperator } from './support.ts';

const { instance, pair } = await sharedPair();
const { root } = instance;

const TYPE = 'DELETE_TVC_APP_AND_DEPLOYMENTS';
const KEY = 'deleteTvcAppAndDeploymentsResult';

const deletedOf = async (appId: string): Promise<boolean[]> =>
  (await root.query('list_tvc_app_deployments', { appId })).body.tvcDeployments.map((one: { delete: boolean }) => one.delete);

test('an app is deleted with its deployments alone, and stays listed without a live one', async () => {
  const [gone, kept] = [await newLiveApp(root), await newLiveApp(root)];
  await newDeployment(root, gone.appId);
  assert.deepEqual(resultOf(await root.submit(TYPE, { appId: gone.appId }), KEY), { appId: gone.appId });
  assert.deepEqual([await deletedOf(gone.appId), await deletedOf(kept.appId)], [[true, true], [false]]);
  assert.deepEqual([await liveOf(root, gone.appId), await liveOf(root, kept.appId)], [undefined, kept.live.deploymentId]);
  const { tvcApps } = (await root.query('list_tvc_apps')).body;
  assert.ok(tvcApps.some(({ id }: { id: string }) => id === gone.appId));
  for (const type of ['DELETE_TVC_DEPLOYMENT', 'UPDATE_TVC_APP_LIVE_DEPLOYMENT'])
    refused(
      await root.submit(type, { deploymentId: gone.live.deploymentId }),
      [400, 'REQUEST_INVALID', /names a deleted deployment/],
      'parameters.deploymentId',
    );
  refused(await root.submit(TYPE, { appId: gone.appId }), [400, 'REQUEST_INVALID', /names a deleted app/], 'parameters.appId');
});

test('an app of another organization is not found', async () => {
  const { appId } = await newLiveApp(root);
  const missing = /^verifiable app not found: parameters\.appId names /;
  refused(await root.submit(TYPE, { appId: NOBODY }), [404, 'UNSPECIFIED', missing]);
  assert.match((await agreed(pair, TYPE, { appId })).body.activity.failure.message, missing);
  assert.deepEqual(await deletedOf(appId), [false]);
});

test('a policy names the app, and any other user is refused', async () => {
  const { client, userId } = await instance.newUser('Deletes');
  const [{ appId }, other] = [await newApp(root, [newOperator()]), await newApp(root, [newOperator()])];
  const condition = `activity.resource == 'TVC_APP' && activity.action == 'DELETE' && activity.params.app_id == '${appId}'`;
  await newPolicy(root, { condition, consensus: approvedBy(userId) });
  denied(await client.submit(TYPE, { appId: other.appId }));
  resultOf(await client.submit(TYPE, { appId }), KEY);
  await refusedToNobody(instance, TYPE, { appId: other.appId });
});

test('a deleted organization leaves nothing of its apps', async () => {
  const tables = ['tvc_operators', 'tvc_operator_sets', 'tvc_apps', 'tvc_deployments', 'tvc_manifest_approvals'];
  const rows = () =>
    Promise.all(tables.map(async (table) => Number((await instance.raw(`SELECT COUNT(*) AS n FROM ${table}`))[0]!.n)));
  const before = await rows();
  const sub = (await instance.newSubOrganization('Deleted', 1, 1)).clients[0]!;
  await newLiveApp(sub);
  const added = await rows();
  assert.deepEqual(
    added.map((n, i) => n - before[i]!),
    [3, 2, 1, 1, 1],
  );
  resultOf(await sub.submit('DELETE_SUB_ORGANIZATION', { deleteWithoutExport: true }), 'deleteSubOrganizationResult');
  assert.deepEqual(await rows(), before);
});

test('bad parameters are named', () => refusesEach(root, TYPE, [[{ appId: 'x' }, 'parameters.appId', /must be a UUID/]]));
