import assert from 'node:assert/strict';
import { test } from 'node:test';
import { approvedBy, denied, newPolicy } from '../../e2e/authority.ts';
import { resultOf } from '../../support/client.ts';
import { NOBODY, refused, refusesEach } from '../../support/refusals.ts';
import { newQuorumKey as newServiceKey, severalHosted } from '../quorum-keys/support.ts';
import { refusedToNobody, sharedPair, waitsForBoth } from '../support.ts';
import { appOf, newApp, newOperator, newQuorumKey, setOf } from './support.ts';

const { instance, pair } = await sharedPair();
const { root } = instance;

const TYPE = 'CREATE_TVC_APP';
const KEY = 'createTvcAppResult';

test('an app has its sets, and nothing that was not asked for', async () => {
  const [one, two] = [newOperator(), newOperator()];
  const quorumPublicKey = newQuorumKey().toUpperCase();
  const result = resultOf(await root.submit(TYPE, appOf([one, two], 2, { quorumPublicKey })), KEY);
  const { tvcApp } = (await root.query('get_tvc_app', { tvcAppId: result.appId })).body;
  const { manifestSet, shareSet, ...app } = tvcApp;
  const { createdAt, updatedAt, publicDomain, ...rest } = app;
  assert.deepEqual(rest, {
    id: result.appId,
    organizationId: root.organizationId,
    name: 'app',
    quorumPublicKey: quorumPublicKey.toLowerCase(),
    enableEgress: false,
    enableDebugModeDeployments: false,
  });
  assert.deepEqual([createdAt, publicDomain], [updatedAt, `app-${result.appId}.localhost`]);
  assert.deepEqual(
    manifestSet.operators.map(({ id, name, publicKey, encryptPublicKey, signPublicKey, keySource }: Record<string, string>) => [
      id,
      name,
      publicKey,
      encryptPublicKey! + signPublicKey!,
      keySource,
    ]),
    [one, two].map(({ name, publicKey }, i) => [result.manifestSetOperatorIds[i], name, publicKey, publicKey, 'EXTERNAL']),
  );
  assert.deepEqual(
    [manifestSet.id, manifestSet.name, manifestSet.threshold, shareSet.id, shareSet.threshold, shareSet.operators.length],
    [result.manifestSetId, 'set', 2, result.shareSetId, 2, 2],
  );
  assert.deepEqual([result.manifestSetThreshold, result.shareSetThreshold], [2, 2]);
});

test('a set with the same name, threshold and operators is used again, and so is an operator', async () => {
  const operators = [newOperator(), newOperator()];
  const first = await newApp(root, operators, 2);
  const listed = async () => (await root.query('list_tvc_operators')).body.tvcOperators.length;
  const before = await listed();
  const again = async (more: object) => (await newApp(root, [...operators].reverse(), 2, more)).manifestSetId;
  const shareSetParams = { shareSetId: first.shareSetId, shareSetParams: undefined };
  const existingOperatorIds = first.manifestSetOperatorIds;
  assert.equal(await again(shareSetParams), first.manifestSetId);
  const asIds = { name: 'set', threshold: 2, existingOperatorIds };
  assert.equal(await again({ ...shareSetParams, manifestSetParams: asIds }), first.manifestSetId);
  assert.equal(
    await again({ ...shareSetParams, manifestSetParams: undefined, manifestSetId: first.manifestSetId }),
    first.manifestSetId,
  );
  for (const other of [{ name: 'other' }, { threshold: 1 }, { existingOperatorIds: existingOperatorIds.slice(1), threshold: 1 }])
    assert.notEqual(await again({ ...shareSetParams, manifestSetParams: { ...asIds, ...other } }), first.manifestSetId);
  // Both sets may have the same operators.
  const both = await newApp(root, operators, 2, { shareSetParams: setOf(operators, 2) });
  assert.deepEqual([both.manifestSetId, both.shareSetId], [first.manifestSetId, first.manifestSetId]);
  assert.equal(await listed(), before);
});

test('an operator counts once: two operators of a set with a key in common are refused', async () => {
  const one = newOperator();
  const other = { ...one, name: 'other name' };
  const keys = [one, newOperator()].map(({ publicKey }) => [publicKey.slice(0, 130), publicKey.slice(130)] as const);
  const [[encrypt, sign], [otherEncrypt, otherSign]] = keys as [(typeof keys)[0], (typeof keys)[0]];
  const withKeys = (...halves: string[]) => ({ ...newOperator(), publicKey: halves.join('') });
  const text: [number, string, RegExp] = [400, 'REQUEST_INVALID', /two operators have a key in common: each must have its own$/];
  for (const operators of [
    [one, other],
    [one, withKeys(otherEncrypt, sign)],
    [one, withKeys(encrypt, otherSign)],
    [one, withKeys(sign, otherSign)],
    [one, one],
  ])
    refused(await root.submit(TYPE, appOf(operators, 2)), text, 'parameters.manifestSetParams');
  // Its holder would have two shares of the key.
  const shares = { shareSetParams: setOf([one, withKeys(encrypt, otherSign)], 2) };
  refused(await root.submit(TYPE, appOf([one], 1, shares)), text, 'parameters.shareSetParams');
  const { manifestSetOperatorIds } = await newApp(root, [one]);
  const set = { ...setOf([other], 2), existingOperatorIds: manifestSetOperatorIds };
  refused(await root.submit(TYPE, appOf([], 1, { manifestSetParams: set })), text);
});

test('operators and sets of another organization are not found, and their keys may be named again', async () => {
  const sub = (await instance.newSubOrganization('Sub', 1, 1)).clients[0]!;
  const operator = newOperator();
  const theirs = await newApp(sub, [operator]);
  const set = { name: 'set', threshold: 1, existingOperatorIds: theirs.manifestSetOperatorIds };
  refused(await root.submit(TYPE, appOf([], 1, { manifestSetParams: set })), [404, 'UNSPECIFIED', /^operator not found: /]);
  for (const manifestSetId of [theirs.manifestSetId, NOBODY])
    refused(await root.submit(TYPE, appOf([], 1, { manifestSetId, manifestSetParams: undefined })), [
      404,
      'UNSPECIFIED',
      /^operator set not found: parameters\.manifestSetId names /,
    ]);
  const ours = await newApp(root, [operator]);
  assert.notEqual(ours.manifestSetId, theirs.manifestSetId);
  assert.notDeepEqual(ours.manifestSetOperatorIds, theirs.manifestSetOperatorIds);
});

test('a quorum key of the service fits the share set: both have one threshold', async () => {
  const hosted = await severalHosted(root, 3);
  const { quorumPublicKey } = await newServiceKey(root, hosted, 3);
  const share = (threshold: number) => ({
    quorumPublicKey,
    shareSetParams: { name: 'shares', threshold, existingOperatorIds: hosted.map(({ operatorId }) => operatorId) },
  });
  const problem: [number, string, RegExp] = [400, 'REQUEST_INVALID', /threshold of the share set is 2, and that of the key is 3/];
  refused(await root.submit(TYPE, appOf([newOperator()], 1, share(2))), problem, 'parameters.quorumPublicKey');
  await newApp(root, [newOperator()], 1, share(3));
});

test('a policy judges an app by its name and quorum key', async () => {
  const { client, userId } = await instance.newUser('Makes apps');
  const quorumPublicKey = newQuorumKey();
  const condition = `activity.resource == 'TVC_APP' && activity.params.quorum_public_key == '${quorumPublicKey}' && activity.params.app_name == 'app'`;
  await newPolicy(root, { condition, consensus: approvedBy(userId) });
  denied(await client.submit(TYPE, appOf([newOperator()])));
  denied(await client.submit(TYPE, appOf([newOperator()], 1, { quorumPublicKey, name: 'other' })));
  resultOf(await client.submit(TYPE, appOf([newOperator()], 1, { quorumPublicKey })), KEY);
});

test('waits for the second root user', async () => {
  const result = await waitsForBoth(pair, TYPE, appOf([newOperator()]), KEY);
  const { tvcApps } = (await pair.clients[0].query('list_tvc_apps')).body;
  assert.deepEqual(
    tvcApps.map(({ id }: { id: string }) => id),
    [result.appId],
  );
});

test('a user without permission is refused', () => refusedToNobody(instance, TYPE, appOf([newOperator()])));

test('bad parameters are named', async () => {
  const one = newOperator();
  const off = `04${'11'.repeat(64)}`;
  const manifest = (set: object) => appOf([], 1, { manifestSetParams: set });
  const share = (threshold: number) => appOf([one], 1, { shareSetParams: setOf([newOperator(), newOperator()], threshold) });
  const many = Array.from({ length: 26 }, () => newOperator());
  const { manifestSetId } = await newApp(root, [newOperator()]);
  await refusesEach(root, TYPE, [
    [appOf([one], 1, { quorumPublicKey: one.publicKey.slice(2) }), 'parameters.quorumPublicKey', /260 digits/],
    [
      appOf([one], 1, { quorumPublicKey: off + off }),
      'parameters.quorumPublicKey',
      /half that is no uncompressed P-256 public key/,
    ],
    [
      manifest(setOf([{ ...one, publicKey: one.publicKey.slice(0, 130) + off }], 1)),
      'parameters.manifestSetParams.newOperators[0].publicKey',
      /half that is no uncompressed P-256 public key/,
    ],
    [manifest(setOf([one], 2)), 'parameters.manifestSetParams.threshold', /at most the number of operators, 1$/],
    [manifest(setOf([one], 0)), 'parameters.manifestSetParams.threshold', /from 1 to 50/],
    [manifest({ name: 'set', threshold: 1 }), 'parameters.manifestSetParams.threshold', /number of operators, 0$/],
    [
      manifest({ ...setOf(many, 1), existingOperatorIds: many.map((_, i) => NOBODY.replace(/..$/, String(10 + i))) }),
      'parameters.manifestSetParams',
      /at most 50 operators$/,
    ],
    [appOf([one], 1, { manifestSetId }), 'parameters.manifestSetId', /must be given, or manifestSetParams in its place/],
    [appOf([one], 1, { shareSetParams: undefined }), 'parameters.shareSetId', /or shareSetParams in its place/],
    [share(1), 'parameters.shareSetParams', /threshold of at least 2/],
    [
      appOf([one], 1, { shareSetParams: undefined, shareSetId: manifestSetId }),
      'parameters.shareSetId',
      /threshold of at least 2/,
    ],
  ]);
});
