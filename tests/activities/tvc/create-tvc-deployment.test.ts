import assert from 'node:assert/strict';
import { test } from 'node:test';
import { approvedBy, denied, newPolicy } from '../../e2e/authority.ts';
import { resultOf } from '../../support/client.ts';
import { NOBODY, refused, refusesEach } from '../../support/refusals.ts';
import { agreed, refusedToNobody, sharedPair, waitsForBoth } from '../support.ts';
import { appOf, deploymentOf, deploymentSeen, hashSeen, manifestSeen, newApp, newDeployment, newOperator } from './support.ts';

const { instance, pair } = await sharedPair({ LIMIT_TVC_DEPLOYMENTS: '12' });
const { root } = instance;

const TYPE = 'CREATE_TVC_DEPLOYMENT';
const KEY = 'createTvcDeploymentResult';
const newSub = async (name: string) => (await instance.newSubOrganization(name, 1, 1)).clients[0]!;

test('a manifest says what will run, for whom and who may approve it', async () => {
  const [one, two] = [newOperator(), newOperator()];
  const app = await newApp(root, [one, two], 2);
  const { deploymentId, manifestId } = await newDeployment(root, app.appId, {
    nonce: 7,
    pivotContainerEncryptedPullSecret: 'sealed',
    instanceSizeCpus: 0.5,
    replicas: 3,
  });
  const seen = await deploymentSeen(root, deploymentId);
  const { tvcApp } = (await root.query('get_tvc_app', { tvcAppId: app.appId })).body;
  const { createdAt, updatedAt, manifest, ...rest } = seen;
  assert.deepEqual(rest, {
    id: deploymentId,
    organizationId: root.organizationId,
    appId: app.appId,
    manifestSet: tvcApp.manifestSet,
    shareSet: tvcApp.shareSet,
    manifestApprovals: [],
    qosVersion: 'countersign-1',
    pivotContainer: {
      containerUrl: 'registry.example.com/app:1',
      path: '/app',
      args: ['--port', '3000'],
      hasPullSecret: true,
      healthCheckType: 'TVC_HEALTH_CHECK_TYPE_HTTP',
      healthCheckPort: 3001,
      publicIngressPort: 3000,
    },
    delete: false,
    debugMode: false,
    instanceSizeCpus: 0.5,
  });
  assert.equal(manifest.id, manifestId);
  assert.equal(JSON.stringify(seen).includes('sealed'), false);
  const member = ({ name, publicKey }: { name: string; publicKey: string }) => ({ alias: name, pubKey: publicKey });
  const shares = tvcApp.shareSet.operators.map(member);
  const zero = '00'.repeat(48);
  assert.deepEqual(await manifestSeen(root, deploymentId), {
    namespace: { name: `prod/tvc/${app.appId}`, nonce: 7, quorumKey: tvcApp.quorumPublicKey },
    pivot: {
      hash: deploymentOf(app.appId).expectedPivotDigest,
      restart: 'Always',
      bridgeConfig: [3000, 3001].map((port) => ({ type: 'server', port, host: '0.0.0.0' })),
      debugMode: false,
      args: ['--port', '3000'],
    },
    manifestSet: { threshold: 2, members: [one, two].map(member) },
    shareSet: { threshold: 2, members: shares },
    enclave: { pcr0: zero, pcr1: zero, pcr2: zero, pcr3: zero, awsRootCertificate: '', qosCommit: 'countersign-1' },
    patchSet: { threshold: 2, members: shares.map(({ pubKey }: { pubKey: string }) => ({ pubKey })) },
  });
});

test('no two deployments of an app have one hash, also if they are made at once', async () => {
  const { appId } = await newApp(root, [newOperator()]);
  const made = await Promise.all([1, 2, 3].map(() => newDeployment(root, appId)));
  const hashes = await Promise.all(made.map(async (one) => (await hashSeen(root, one)).toString('hex')));
  assert.equal(new Set(hashes).size, 3);
  const { nonce } = (await manifestSeen(root, made[0]!.deploymentId)).namespace;
  refused(
    await root.submit(TYPE, deploymentOf(appId, { nonce })),
    [400, 'REQUEST_INVALID', /must differ from that of each other deployment/],
    'parameters.nonce',
  );
  await newDeployment(root, (await newApp(root, [newOperator()])).appId, { nonce });
});

test('debug mode is for apps that allow it', async () => {
  const { appId } = await newApp(root, [newOperator()]);
  const text: [number, string, RegExp] = [400, 'REQUEST_INVALID', /created without enableDebugModeDeployments/];
  refused(await root.submit(TYPE, deploymentOf(appId, { debugMode: true })), text, 'parameters.debugMode');
  const open = await newApp(root, [newOperator()], 1, { enableDebugModeDeployments: true });
  for (const debugMode of [true, false]) {
    const { deploymentId } = await newDeployment(root, open.appId, { debugMode });
    assert.equal((await deploymentSeen(root, deploymentId)).debugMode, debugMode);
    assert.equal((await manifestSeen(root, deploymentId)).pivot.debugMode, debugMode);
  }
});

test('an app that does not exist, is deleted or is of another organization is refused', async () => {
  const { appId } = await newApp(root, [newOperator()]);
  const missing: [number, string, RegExp] = [404, 'UNSPECIFIED', /^verifiable app not found: parameters\.appId names /];
  refused(await root.submit(TYPE, deploymentOf(NOBODY)), missing);
  const { activity } = (await agreed(pair, TYPE, deploymentOf(appId))).body;
  assert.match(activity.failure.message, missing[2]);
  await root.submit('DELETE_TVC_APP_AND_DEPLOYMENTS', { appId });
  refused(await root.submit(TYPE, deploymentOf(appId)), [400, 'REQUEST_INVALID', /names a deleted app/], 'parameters.appId');
});

test('an organization has as many deployments as its limit says, and deleted ones count', async () => {
  const sub = await newSub('Full');
  const { appId } = await newApp(sub, [newOperator()]);
  for (let i = 0; i < 11; i++) await newDeployment(sub, appId);
  const { deploymentId } = await newDeployment(sub, appId);
  resultOf(await sub.submit('DELETE_TVC_DEPLOYMENT', { deploymentId }), 'deleteTvcDeploymentResult');
  const full: [number, string, RegExp] = [
    429,
    'UNSPECIFIED',
    /limit of 12 deployments of verifiable apps \(LIMIT_TVC_DEPLOYMENTS\)/,
  ];
  refused(await sub.submit(TYPE, deploymentOf(appId)), full);
});

test('a policy judges a deployment by its app, image and executable', async () => {
  const { client, userId } = await instance.newUser('Deploys');
  const [{ appId }, other] = [await newApp(root, [newOperator()]), await newApp(root, [newOperator()])];
  const good = deploymentOf(appId);
  const image = `activity.params.pivot_container_image_url == '${good.pivotContainerImageUrl}'`;
  const digest = `activity.params.expected_pivot_digest == '${good.expectedPivotDigest}'`;
  const condition = `activity.kind == '${TYPE}' && activity.params.app_id == '${appId}' && ${image} && ${digest}`;
  await newPolicy(root, { condition, consensus: approvedBy(userId) });
  for (const more of [{ appId: other.appId }, { pivotContainerImageUrl: 'x/y' }, { expectedPivotDigest: '00'.repeat(32) }])
    denied(await client.submit(TYPE, { ...good, ...more }));
  resultOf(await client.submit(TYPE, good), KEY);
});

test('waits for the second root user', async () => {
  const { appId } = (await agreed(pair, 'CREATE_TVC_APP', appOf([newOperator()]))).body.activity.result.createTvcAppResult;
  const { deploymentId } = await waitsForBoth(pair, TYPE, deploymentOf(appId), KEY);
  assert.equal((await deploymentSeen(pair.clients[0], deploymentId)).appId, appId);
});

test('a user without permission is refused', async () =>
  refusedToNobody(instance, TYPE, deploymentOf((await newApp(root, [newOperator()])).appId)));

test('bad parameters are named', async () => {
  const { appId } = await newApp(root, [newOperator()]);
  const bad = (more: object) => deploymentOf(appId, more);
  await refusesEach(root, TYPE, [
    [bad({ qosVersion: 'v2026.2.6' }), 'parameters.qosVersion', /must be one of countersign-1/],
    [bad({ expectedPivotDigest: 'ab' }), 'parameters.expectedPivotDigest', /64 hex digits/],
    [bad({ nonce: 2 ** 32 }), 'parameters.nonce', /from 0 to 4294967295/],
    [bad({ nonce: -1 }), 'parameters.nonce', /from 0 to 4294967295/],
    [bad({ pivotPath: 'app' }), 'parameters.pivotPath', /absolute path/],
    [bad({ pivotArgs: ['é'.repeat(16_385)] }), 'parameters.pivotArgs', /at most 32768 bytes together/],
    [bad({ pivotArgs: Array.from({ length: 101 }, () => 'a') }), 'parameters.pivotArgs', /at most 100$/],
    [bad({ pivotContainerImageUrl: 'a b' }), 'parameters.pivotContainerImageUrl', /must not have spaces/],
    [bad({ healthCheckPort: 0 }), 'parameters.healthCheckPort', /from 1 to 65535/],
    [bad({ publicIngressPort: 65_536 }), 'parameters.publicIngressPort', /from 1 to 65535/],
    [bad({ healthCheckType: 'HTTP' }), 'parameters.healthCheckType', /must be one of TVC_HEALTH_CHECK_TYPE_HTTP/],
  ]);
});
