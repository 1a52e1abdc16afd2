import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { test } from 'node:test';
import { quorumPublicKey } from '../../src/crypto/quorum-key.ts';
import {
  type Deployed,
  newDeployment,
  newQuorumKey,
  Outsider,
  outsideQuorumKey,
  reEncrypting,
  runnersInstance,
  severalHosted,
} from '../activities/quorum-keys/support.ts';
import { resultOf } from '../support/client.ts';
import { FakeRunner, runnerCall } from '../support/fake-runner.ts';
import { refused } from '../support/refusals.ts';

const { instance, socket } = await runnersInstance();
const { root } = instance;

const POST = 'POST_TVC_QUORUM_KEY_SHARE';
const RE_ENCRYPT = 'RE_ENCRYPT_TVC_QUORUM_KEY_SHARE';
const POSTED = 'postTvcQuorumKeyShareResult';
const RE_ENCRYPTED = 'reEncryptTvcQuorumKeyShareResult';

const AWAITING = 'PROVISIONING_STATE_AWAITING_PROVISION';
const PROVISIONED = 'PROVISIONING_STATE_PROVISIONED';
const PENDING = 'PROVISIONING_STATE_PENDING';

const details = ({ deploymentId }: Deployed) => root.query('get_tvc_deployment_provisioning_details', { deploymentId });

async function statusOf({ appId, deploymentId }: Deployed) {
  const { appStatus } = (await root.query('get_app_status', { appId })).body;
  const { readyReplicas, provisioningState } = appStatus.deployments.find((one: Deployed) => one.deploymentId === deploymentId);
  return [provisioningState, readyReplicas];
}

/** An approved deployment whose two of three operators are of the service. */
async function hostedDeployment(more: { debugMode?: boolean } = {}) {
  const hosted = await severalHosted(root, 3);
  const { quorumPublicKey: publicKey } = await newQuorumKey(root, hosted);
  const deployed = await newDeployment(root, { quorumPublicKey: publicKey, hosted, ...more });
  await deployed.approve();
  return { hosted, publicKey, deployed };
}

/** An approved deployment whose operators have their keys themselves, with a runner that awaits shares. */
async function outsideDeployment() {
  const outsiders = ['one', 'two', 'three'].map((name) => new Outsider(name));
  const publicKey = outsideQuorumKey(outsiders);
  const deployed = await newDeployment(root, { quorumPublicKey: publicKey, outsiders });
  await deployed.approve();
  const runner = new FakeRunner(socket);
  await runner.leased(deployed.deploymentId);
  await runner.attest(deployed);
  return { outsiders, publicKey, deployed, runner };
}

test('hosted operators hand their shares over, and a runner rebuilds the quorum key of the app', async () => {
  const { hosted, publicKey, deployed } = await hostedDeployment();
  refused(await details(deployed), [404, 'UNSPECIFIED', /pending, no runner has it at present/]);
  assert.deepEqual(await statusOf(deployed), [PENDING, 0]);
  const runner = new FakeRunner(socket);
  const leased = await runner.leased(deployed.deploymentId);
  assert.equal(leased.manifestHash, deployed.hash.toString('hex'));
  const { manifest, manifestSetApprovals } = JSON.parse(Buffer.from(leased.manifestEnvelope, 'base64').toString());
  assert.deepEqual(manifest, JSON.parse(deployed.manifest.toString()));
  assert.equal(manifestSetApprovals.length, 2);
  refused(await details(deployed), [404, 'UNSPECIFIED', /made no ephemeral key yet/]);
  const document = await runner.attest(deployed);
  const seen = (await details(deployed)).body;
  assert.deepEqual([seen.attestationDocument, seen.provisioningState], [document, AWAITING]);
  assert.equal(await runner.rebuild(deployed), undefined);
  const first = await reEncrypting(root, deployed, hosted[2]!);
  resultOf(await root.submit(RE_ENCRYPT, first), RE_ENCRYPTED);
  refused(await root.submit(RE_ENCRYPT, { ...first }), [
    400,
    'REQUEST_INVALID',
    /has already posted a share for this ephemeral key/,
  ]);
  assert.equal(await runner.rebuild(deployed), undefined);
  resultOf(await root.submit(RE_ENCRYPT, await reEncrypting(root, deployed, hosted[0]!)), RE_ENCRYPTED);
  const rebuilt = await runner.rebuild(deployed);
  assert.equal(quorumPublicKey(rebuilt!).toString('hex'), publicKey);
  assert.deepEqual(await statusOf(deployed), [PROVISIONED, 0]);
  await runner.done('report', { ...runner.at(deployed), state: 'ready', problem: '' });
  assert.deepEqual(await statusOf(deployed), [PROVISIONED, 1]);
  const late = await root.submit(RE_ENCRYPT, await reEncrypting(root, deployed, hosted[1]!));
  refused(late, [400, 'REQUEST_INVALID', /needs no further share/]);
  const envelope = JSON.parse(Buffer.from((await details(deployed)).body.manifestEnvelope, 'base64').toString());
  assert.equal(envelope.shareSetApprovals.length, 2);
  assert.deepEqual((await runner.done('shares', runner.at(deployed))).shares, [], 'shares are gone once the key is rebuilt');
  await runner.done('report', { ...runner.at(deployed), state: 'unhealthy', problem: 'no answer' });
  assert.deepEqual(await statusOf(deployed), [PROVISIONED, 0]);
  const { deploymentId } = deployed;
  const unhealthy = /names an unhealthy deployment: no answer/;
  refused(await root.submit('UPDATE_TVC_APP_LIVE_DEPLOYMENT', { deploymentId }), [400, 'REQUEST_INVALID', unhealthy]);
  await runner.done('report', { ...runner.at(deployed), state: 'ready', problem: '' });
  resultOf(await root.submit('UPDATE_TVC_APP_LIVE_DEPLOYMENT', { deploymentId }), 'updateTvcAppLiveDeploymentResult');
});

test('operators with keys of their own post shares', async () => {
  const { outsiders, publicKey, deployed, runner } = await outsideDeployment();
  const [one, two] = outsiders as [Outsider, Outsider];
  const key = runner.ephemeralPublicKey;
  resultOf(await root.submit(POST, one.posting(deployed, key)), POSTED);
  refused(await root.submit(POST, one.posting(deployed, key)), [400, 'REQUEST_INVALID', /has already posted a share/]);
  assert.equal(await runner.rebuild(deployed), undefined);
  resultOf(await root.submit(POST, two.posting(deployed, key.toUpperCase())), POSTED);
  assert.equal(quorumPublicKey((await runner.rebuild(deployed))!).toString('hex'), publicKey);
});

test('shares of another key give nothing, and are removed with the reason', async () => {
  const { outsiders, deployed, runner } = await outsideDeployment();
  const [one, two] = outsiders as [Outsider, Outsider];
  const strangers = [new Outsider('a'), new Outsider('b')];
  outsideQuorumKey(strangers);
  resultOf(await root.submit(POST, one.posting(deployed, runner.ephemeralPublicKey)), POSTED);
  resultOf(await root.submit(POST, two.posting(deployed, runner.ephemeralPublicKey, strangers[1]!.share)), POSTED);
  assert.equal(await runner.rebuild(deployed), undefined);
  assert.deepEqual(await statusOf(deployed), [AWAITING, 0]);
  assert.deepEqual((await runner.done('shares', runner.at(deployed))).shares, []);
  // The same share under two names.
  resultOf(await root.submit(POST, one.posting(deployed, runner.ephemeralPublicKey)), POSTED);
  resultOf(await root.submit(POST, two.posting(deployed, runner.ephemeralPublicKey, one.share)), POSTED);
  assert.equal(await runner.rebuild(deployed), undefined);
  for (const each of [one, two]) resultOf(await root.submit(POST, each.posting(deployed, runner.ephemeralPublicKey)), POSTED);
  assert.ok(await runner.rebuild(deployed));
});

test('a share is refused for another key, from another operator, or with another signature', async () => {
  const { outsiders, deployed, runner } = await outsideDeployment();
  const [one, two] = outsiders as [Outsider, Outsider];
  const key = runner.ephemeralPublicKey;
  const good = one.posting(deployed, key);
  const { shareApprovalBundle: bundle } = good;
  const refusal = async (parameters: object, problem: RegExp) =>
    refused(await root.submit(POST, parameters), [400, 'REQUEST_INVALID', problem]);
  await refusal(one.posting(deployed, new FakeRunner(socket).ephemeralPublicKey), /is not the present ephemeral key/);
  await refusal(
    { ...good, shareApprovalBundle: { ...bundle, operatorId: deployed.approvers[0]!.operatorId } },
    /is not in the share set/,
  );
  await refusal({ ...good, shareApprovalBundle: { ...bundle, operatorId: two.operatorId } }, /is not by operator/);
  const other = await deployed.again();
  await refusal({ ...good, deploymentId: other.deploymentId }, /is not by operator .* over the hash/);
  const unsealed = { ...bundle, reEncryptedShareHex: '00'.repeat(130) };
  await refusal({ ...good, shareApprovalBundle: unsealed }, /is not an envelope/);
  assert.deepEqual((await runner.done('shares', runner.at(deployed))).shares, []);
});

test('a hosted share is refused for another document, manifest, key or operator', async () => {
  const { hosted, deployed } = await hostedDeployment();
  const runner = new FakeRunner(socket);
  await runner.leased(deployed.deploymentId);
  const old = await runner.attest(deployed);
  await runner.attest(deployed);
  const good = await reEncrypting(root, deployed, hosted[0]!);
  const refusal = async (more: object, [status, problem]: [number, RegExp]) => {
    const answer = await root.submit(RE_ENCRYPT, { ...good, ...more });
    refused(answer, [status, status === 404 ? 'UNSPECIFIED' : 'REQUEST_INVALID', problem]);
  };
  await refusal({ attestationDocB64: old }, [400, /is not the present ephemeral key/]);
  const forged = Buffer.from(good.attestationDocB64, 'base64');
  forged[forged.length - 1]! ^= 1;
  await refusal({ attestationDocB64: forged.toString('base64') }, [
    400,
    /is not an attestation document that this service has signed/,
  ]);
  const other = await hostedDeployment();
  await runner.leased(other.deployed.deploymentId);
  await runner.attest(other.deployed);
  const theirs = await reEncrypting(root, other.deployed, other.hosted[0]!);
  await refusal({ attestationDocB64: theirs.attestationDocB64 }, [400, /is about another manifest/]);
  await refusal({ manifestB64: theirs.manifestB64 }, [400, /is not the manifest of the deployment/]);
  await refusal({ appQuorumKey: theirs.appQuorumKey }, [400, /is not the quorum key of the app/]);
  const { operatorEncryptKey, operatorSignKey } = theirs;
  await refusal({ operatorEncryptKey, operatorSignKey }, [400, /no operator in the share set/]);
  await refusal({ operatorSignKey }, [400, /no operator in the share set/]);
});

test('one approval too few, and no runner gets the deployment', async () => {
  const outsiders = ['one', 'two'].map((name) => new Outsider(name));
  const deployed = await newDeployment(root, { quorumPublicKey: outsideQuorumKey(outsiders), outsiders });
  await deployed.approve([deployed.approvers[0]!]);
  const runner = new FakeRunner(socket);
  await assert.rejects(runner.leased(deployed.deploymentId), /is not free/);
  refused(await details(deployed), [404, 'UNSPECIFIED', /its manifest has too few approvals/]);
  const posting = outsiders[0]!.posting(deployed, runner.ephemeralPublicKey);
  refused(await root.submit(POST, posting), [404, 'UNSPECIFIED', /its manifest has too few approvals/]);
  const unleased = await runner.ask('attest', runner.at(deployed));
  assert.equal(unleased.status, 409);
  const unknown = { ...deployed, deploymentId: deployed.appId };
  assert.deepEqual(await runner.ask('attest', runner.at(unknown)), unleased, 'a runner does not learn which deployments exist');
});

test('a runner that is not heard of loses its lease: the next one has a new key, and shares are posted again', async () => {
  const { outsiders, deployed, runner } = await outsideDeployment();
  const [one, two] = outsiders as [Outsider, Outsider];
  const old = one.posting(deployed, runner.ephemeralPublicKey);
  resultOf(await root.submit(POST, old), POSTED);
  const second = new FakeRunner(socket);
  await assert.rejects(second.leased(deployed.deploymentId), /is not free/);
  const { deployments } = await runner.done('heartbeat', { deployments: [runner.place(deployed)] });
  assert.equal(deployments[0].isLive, true);
  // A little more than the lease: a time that is ahead of the clock runs slower.
  instance.clock.advance(61_000);
  assert.deepEqual(await statusOf(deployed), [PENDING, 0]);
  refused(await details(deployed), [404, 'UNSPECIFIED', /no runner has it at present/]);
  refused(await root.submit(POST, two.posting(deployed, runner.ephemeralPublicKey)), [404, 'UNSPECIFIED', /no runner has it/]);
  await second.leased(deployed.deploymentId);
  for (const call of ['attest', 'shares'] as const) assert.equal((await runner.ask(call, runner.at(deployed))).status, 409);
  const lost = await runner.done('heartbeat', { deployments: [runner.place(deployed)] });
  assert.deepEqual(lost.deployments, []);
  await second.attest(deployed);
  assert.deepEqual(await statusOf(deployed), [AWAITING, 0]);
  refused(await root.submit(POST, { ...old }), [400, 'REQUEST_INVALID', /is not the present ephemeral key/]);
  for (const each of [one, two]) resultOf(await root.submit(POST, each.posting(deployed, second.ephemeralPublicKey)), POSTED);
  assert.ok(await second.rebuild(deployed));
  await second.done('release', { deployments: [second.place(deployed)] });
  assert.deepEqual(await statusOf(deployed), [PENDING, 0]);
  const late = await second.done('heartbeat', { deployments: [second.place(deployed)] });
  assert.deepEqual([late.deployments, await statusOf(deployed)], [[], [PENDING, 0]], 'what was released is not taken back');
});

test('a deployment that does not start is given back with the reason, and offered again after a minute', async () => {
  const { deployed, runner } = await outsideDeployment();
  const place = runner.place(deployed);
  await runner.done('report', { ...place, state: 'failed', problem: 'The image is missing.' });
  const { appStatus } = (await root.query('get_app_status', { appId: deployed.appId })).body;
  const { provisioningState, problem } = appStatus.deployments[0];
  assert.deepEqual([provisioningState, problem], [PENDING, 'The image is missing.']);
  refused(await details(deployed), [404, 'UNSPECIFIED', /pending, The image is missing\./]);
  assert.deepEqual((await runner.done('heartbeat', { deployments: [place] })).deployments, []);
  const next = new FakeRunner(socket);
  await assert.rejects(next.leased(deployed.deploymentId), /is not free/);
  instance.clock.advance(61_000);
  assert.equal((await next.leased(deployed.deploymentId)).deploymentId, deployed.deploymentId);
});

test('of two runners that ask at once, one gets a deployment', async () => {
  const outsiders = ['one', 'two'].map((name) => new Outsider(name));
  const deployed = await newDeployment(root, { quorumPublicKey: outsideQuorumKey(outsiders), outsiders });
  await deployed.approve();
  const runners = Array.from({ length: 6 }, () => new FakeRunner(socket));
  const answers = await Promise.all(runners.map((one) => one.done('lease', { most: 16 })));
  const owners = answers.filter(({ deployments }) =>
    deployments.some((one: Deployed) => one.deploymentId === deployed.deploymentId),
  );
  assert.equal(owners.length, 1);
});

test('a deleted deployment is taken from its runner', async () => {
  const { deployed, runner } = await outsideDeployment();
  const next = await deployed.again();
  await next.approve();
  const live = root.bodyOf('UPDATE_TVC_APP_LIVE_DEPLOYMENT', { deploymentId: next.deploymentId });
  resultOf(await root.send('/public/v1/submit/set_tvc_app_live_deployment', live), 'updateTvcAppLiveDeploymentResult');
  resultOf(await root.submit('DELETE_TVC_DEPLOYMENT', { deploymentId: deployed.deploymentId }), 'deleteTvcDeploymentResult');
  const lost = await runner.done('heartbeat', { deployments: [runner.place(deployed)] });
  assert.deepEqual(lost.deployments, []);
  resultOf(await root.submit('RESTORE_TVC_DEPLOYMENT', { deploymentId: deployed.deploymentId }), 'restoreTvcDeploymentResult');
  await new FakeRunner(socket).leased(deployed.deploymentId);
  resultOf(await root.submit('DELETE_TVC_APP_AND_DEPLOYMENTS', { appId: deployed.appId }), 'deleteTvcAppAndDeploymentsResult');
  assert.deepEqual(await statusOf(next), [PENDING, 0]);
  await assert.rejects(new FakeRunner(socket).leased(next.deploymentId), /is not free/);
});

test('logs are kept for debug mode alone, a mebibyte of the last day', async () => {
  const { deployed } = await hostedDeployment({ debugMode: true });
  const plain = await hostedDeployment();
  const runner = new FakeRunner(socket);
  await runner.leased(deployed.deploymentId);
  const log = (at: object, lines: string[]) =>
    runner.ask('logs', { ...at, lines: lines.map((text) => ({ at: instance.clock.now(), text })) });
  const read = async (more: object = {}) => {
    const { entries } = (await root.query('get_tvc_deployment_debug_logs', { deploymentId: deployed.deploymentId, ...more }))
      .body;
    return entries.map(({ line }: { line: { content: string } }) => line.content);
  };
  assert.equal((await log(runner.place(deployed), ['one', 'two'])).status, 200);
  assert.equal((await log(runner.place(deployed), ['three'])).status, 200);
  assert.deepEqual(await read(), ['one', 'two', 'three']);
  assert.deepEqual(await read({ tailLines: 2 }), ['two', 'three']);
  assert.equal((await log(runner.place(plain.deployed), ['x'])).status, 400);
  for (let i = 0; i < 9; i++) await log(runner.place(deployed), Array(10).fill(`${i}${'x'.repeat(14_000)}`));
  const kept = await read();
  assert.ok(kept.join('').length < 1024 * 1024);
  assert.deepEqual([kept.includes('three'), kept.at(-1)![0]], [false, '8']);
  instance.clock.advance(24 * 60 * 60 * 1000);
  assert.deepEqual(await read(), []);
  await runner.done('heartbeat', { deployments: [] });
  const [row] = await instance.raw('SELECT COUNT(*) AS n FROM tvc_debug_logs');
  assert.equal(Number(row!.n), 0);
});

test('the socket is for its owner and group, and takes no other call, no large body and no unknown member', async () => {
  assert.equal(statSync(socket).mode & 0o777, 0o660);
  const runner = new FakeRunner(socket);
  for (const path of ['/v1/sign', '/public/v1/query/whoami', '/', '/v1/lease/'])
    assert.equal((await runnerCall(socket, path, {})).status, 404, path);
  assert.equal((await runnerCall(socket, '/v1/lease', '', 'GET')).status, 404);
  assert.equal((await runner.ask('lease', { most: 17 })).status, 400);
  assert.equal((await runner.ask('lease', { most: 1, organizationId: root.organizationId })).status, 400);
  assert.equal((await runnerCall(socket, '/v1/lease', 'x'.repeat(300_000))).status, 413);
  assert.equal((await runnerCall(socket, '/v1/lease', '{')).status, 400);
});
