import assert from 'node:assert/strict';
import { test } from 'node:test';
import { approvedBy, denied, newPolicy } from '../../e2e/authority.ts';
import { resultOf } from '../../support/client.ts';
import { NOBODY, refused, refusesEach } from '../../support/refusals.ts';
import { agreed, refusedToNobody, sharedPair, waitsForBoth } from '../support.ts';
import {
  appOf,
  approvalsOf,
  deploymentOf,
  deploymentSeen,
  hashSeen,
  liveOf,
  newApp,
  newDeployment,
  newOperator,
} from './support.ts';

const { instance, pair } = await sharedPair();
const { root } = instance;

const TYPE = 'CREATE_TVC_MANIFEST_APPROVALS';
const KEY = 'createTvcManifestApprovalsResult';

/** An app of three operators, of whom two must approve, and a deployment of it. */
async function deployed() {
  const operators = [newOperator(), newOperator(), newOperator()];
  const app = await newApp(root, operators, 2);
  const deployment = await newDeployment(root, app.appId);
  const by = (...which: readonly number[]) => which.map((i) => [app.manifestSetOperatorIds[i]!, operators[i]!] as const);
  const approve = async (...which: readonly number[]) => root.submit(TYPE, await approvalsOf(root, deployment, by(...which)));
  return { app, operators, deployment, by, approve };
}

const approvers = async ({ deploymentId }: { deploymentId: string }) =>
  (await deploymentSeen(root, deploymentId)).manifestApprovals.map(({ operator }: { operator: { id: string } }) => operator.id);

test('approvals are kept with their signatures, and the deployment is live at the threshold, not before', async () => {
  const { app, deployment, approve, by } = await deployed();
  const [first] = resultOf(await approve(0), KEY).approvalIds;
  assert.equal(await liveOf(root, app.appId), undefined);
  const [second, third] = resultOf(await approve(2, 1), KEY).approvalIds;
  assert.equal(await liveOf(root, app.appId), deployment.deploymentId);
  const { manifestApprovals } = await deploymentSeen(root, deployment.deploymentId);
  const [{ operator, approval, manifestId }] = manifestApprovals;
  assert.deepEqual(
    manifestApprovals.map(({ id }: { id: string }) => id),
    [first, second, third],
  );
  assert.deepEqual([operator.id, manifestId], [by(0)[0]![0], deployment.manifestId]);
  assert.equal(Buffer.from(approval, 'base64').length, 64);
});

test('a second deployment of an app does not become live by its approvals', async () => {
  const { app, deployment, approve, by } = await deployed();
  resultOf(await approve(0, 1), KEY);
  const next = await newDeployment(root, app.appId);
  resultOf(await root.submit(TYPE, await approvalsOf(root, next, by(1, 2))), KEY);
  assert.equal(await liveOf(root, app.appId), deployment.deploymentId);
});

test('an operator approves once: a signature twice is one approval too few', async () => {
  const { app, deployment, approve } = await deployed();
  resultOf(await approve(0), KEY);
  const again: [number, string, RegExp] = [400, 'REQUEST_INVALID', /has already approved this manifest/];
  refused(await approve(0), again, 'parameters.approvals[0].operatorId');
  refused(await approve(1, 0), again, 'parameters.approvals[1].operatorId');
  assert.equal((await approvers(deployment)).length, 1, 'all or none');
  assert.equal(await liveOf(root, app.appId), undefined);
});

test('signatures of two operators at once reach the threshold', async () => {
  const { app, deployment, approve } = await deployed();
  for (const answer of await Promise.all([approve(0), approve(1)])) resultOf(answer, KEY);
  assert.equal(await liveOf(root, app.appId), deployment.deploymentId);
});

test('a signature that is not by the operator over this manifest is refused', async () => {
  const { app, operators, deployment, by } = await deployed();
  const [[operatorId, operator]] = by(0) as [readonly [string, (typeof operators)[number]]];
  const hash = await hashSeen(root, deployment);
  const other = await newDeployment(root, app.appId);
  const good = operator.sign(hash);
  const text: [number, string, RegExp] = [400, 'REQUEST_INVALID', /is not by operator .* over the hash of this manifest$/];
  const flipped = good.replace(/.$/, (digit) => (digit === '0' ? '1' : '0'));
  for (const signature of [
    operators[1]!.sign(hash),
    operator.signWithOther(hash),
    operator.sign(await hashSeen(root, other)),
    operator.sign(Buffer.from(hash.toString('hex'))),
    flipped,
    '00'.repeat(64),
    'ff'.repeat(64),
  ])
    refused(
      await root.submit(TYPE, { manifestId: deployment.manifestId, approvals: [{ operatorId, signature }] }),
      text,
      'parameters.approvals[0].signature',
    );
  // The signature for one deployment is for no other.
  refused(await root.submit(TYPE, { manifestId: other.manifestId, approvals: [{ operatorId, signature: good }] }), text);
  assert.deepEqual([await approvers(deployment), await approvers(other)], [[], []]);
  resultOf(
    await root.submit(TYPE, { manifestId: deployment.manifestId, approvals: [{ operatorId, signature: good.toUpperCase() }] }),
    KEY,
  );
});

test('an operator outside the manifest set is refused, also one of the share set', async () => {
  const outsider = newOperator();
  const { shareSetOperatorIds } = await newApp(root, [newOperator()], 1, {
    shareSetParams: {
      name: 'shares',
      newOperators: [outsider, newOperator()].map(({ name, publicKey }) => ({ name, publicKey })),
      threshold: 2,
    },
  });
  const app = await newApp(root, [newOperator()], 1, {
    shareSetParams: { name: 'shares', existingOperatorIds: shareSetOperatorIds, threshold: 2 },
  });
  const deployment = await newDeployment(root, app.appId);
  const text: [number, string, RegExp] = [400, 'REQUEST_INVALID', /is not in the manifest set of the app/];
  for (const id of [shareSetOperatorIds[0]!, NOBODY])
    refused(
      await root.submit(TYPE, await approvalsOf(root, deployment, [[id, outsider]])),
      text,
      'parameters.approvals[0].operatorId',
    );
});

test('a deleted deployment takes no approvals, and one that is restored keeps those it had', async () => {
  const { app, deployment, approve } = await deployed();
  resultOf(await approve(0), KEY);
  const { deploymentId } = deployment;
  await root.submit('DELETE_TVC_DEPLOYMENT', { deploymentId });
  refused(await approve(1), [400, 'REQUEST_INVALID', /names a deleted deployment/], 'parameters.manifestId');
  await root.submit('RESTORE_TVC_DEPLOYMENT', { deploymentId });
  resultOf(await approve(1), KEY);
  assert.equal(await liveOf(root, app.appId), deploymentId);
  const late = await newDeployment(root, app.appId);
  await root.submit('DELETE_TVC_APP_AND_DEPLOYMENTS', { appId: app.appId });
  const approvals = [{ operatorId: app.manifestSetOperatorIds[0], signature: '00'.repeat(64) }];
  refused(await root.submit(TYPE, { manifestId: late.manifestId, approvals }), [400, 'REQUEST_INVALID', /./]);
});

test('a manifest of another organization is not found', async () => {
  const { deployment, by } = await deployed();
  const parameters = await approvalsOf(root, deployment, by(0));
  const { activity } = (await agreed(pair, TYPE, parameters)).body;
  assert.match(activity.failure.message, /^manifest not found: parameters\.manifestId names /);
  refused(await root.submit(TYPE, { ...parameters, manifestId: NOBODY }), [404, 'UNSPECIFIED', /^manifest not found/]);
});

test('a policy lets a user hand in approvals of some operators alone', async () => {
  const { client, userId } = await instance.newUser('Hands in');
  const { deployment, by } = await deployed();
  const [[first]] = by(0) as [readonly [string, unknown]];
  const operators = `activity.params.operator_ids.all(id, id == '${first}')`;
  const condition = `activity.kind == '${TYPE}' && activity.params.manifest_id == '${deployment.manifestId}' && ${operators}`;
  await newPolicy(root, { condition, consensus: approvedBy(userId) });
  denied(await client.submit(TYPE, await approvalsOf(root, deployment, by(0, 1))));
  resultOf(await client.submit(TYPE, await approvalsOf(root, deployment, by(0))), KEY);
});

test('waits for the second root user', async () => {
  const [client] = pair.clients;
  const operator = newOperator();
  const app = (await agreed(pair, 'CREATE_TVC_APP', appOf([operator]))).body.activity.result.createTvcAppResult;
  const made = (await agreed(pair, 'CREATE_TVC_DEPLOYMENT', deploymentOf(app.appId))).body.activity.result
    .createTvcDeploymentResult;
  const parameters = await approvalsOf(client, made, [[app.manifestSetOperatorIds[0], operator]]);
  assert.equal((await waitsForBoth(pair, TYPE, parameters, KEY)).approvalIds.length, 1);
});

test('a user without permission is refused', async () => {
  const { deployment, by } = await deployed();
  await refusedToNobody(instance, TYPE, await approvalsOf(root, deployment, by(0)));
});

test('bad parameters are named', async () => {
  const { deployment, by } = await deployed();
  const { manifestId, approvals } = await approvalsOf(root, deployment, by(0));
  const [one] = approvals as [(typeof approvals)[number]];
  await refusesEach(root, TYPE, [
    [{ manifestId, approvals: [] }, 'parameters.approvals', /at least one/],
    [{ manifestId, approvals: [one, one] }, 'parameters.approvals', /must name each operator once/],
    [{ manifestId, approvals: Array.from({ length: 51 }, () => one) }, 'parameters.approvals', /at most 50/],
    [
      { manifestId, approvals: [{ ...one, signature: one.signature.slice(2) }] },
      'parameters.approvals[0].signature',
      /128 digits/,
    ],
    [{ manifestId: 'x', approvals }, 'parameters.manifestId', /must be a UUID/],
  ]);
});
