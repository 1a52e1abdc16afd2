import assert from 'node:assert/strict';
import { test } from 'node:test';
import { approvedBy, denied, newPolicy, signing } from '../../e2e/authority.ts';
import { resultOf } from '../../support/client.ts';
import { newTarget } from '../../support/published.ts';
import { NOBODY, refused, refusesEach } from '../../support/refusals.ts';
import { newPrivateKey, privateKeyOf } from '../custody.ts';
import { agreed, count, refusedToNobody, sharedPair } from '../support.ts';

const { instance, pair } = await sharedPair();

const TYPE = 'DELETE_PRIVATE_KEYS';
const KEY = 'deletePrivateKeysResult';
const NO_KEY: [number, string, RegExp] = [404, 'UNSPECIFIED', /private key not found/];
const unexported = (id: string): [number, string, RegExp] => [
  400,
  'REQUEST_INVALID',
  new RegExp(`private key has not been exported: ${id}`),
];
type Made = Awaited<ReturnType<typeof newPrivateKey>>;

const named = ({ privateKeyId, addresses }: Made) => [privateKeyId, ...addresses.map(({ address }) => address)];
const sign = (signWith: string) => instance.root.submit('SIGN_RAW_PAYLOAD_V2', signing(signWith));
const bare = (privateKeyName: string) => ({
  privateKeys: [{ privateKeyName, curve: 'CURVE_P256', privateKeyTags: [], addressFormats: [] }],
});

async function stands(key: Made): Promise<void> {
  assert.equal((await instance.root.query('get_private_key', { privateKeyId: key.privateKeyId })).status, 200);
  for (const signWith of named(key)) resultOf(await sign(signWith), 'signRawPayloadResult');
}

async function isGone(key: Made): Promise<void> {
  const { privateKeyId } = key;
  refused(await instance.root.query('get_private_key', { privateKeyId }), NO_KEY);
  const targetPublicKey = newTarget().publicKeyUncompressed;
  refused(await instance.root.submit('EXPORT_PRIVATE_KEY', { privateKeyId, targetPublicKey }), NO_KEY);
  for (const signWith of named(key)) refused(await sign(signWith), [404, 'UNSPECIFIED', /signer not found/]);
}

test('only what was exported, with all its addresses; the name is free again', async () => {
  const { root } = instance;
  const formats = { addressFormats: ['ADDRESS_FORMAT_ETHEREUM', 'ADDRESS_FORMAT_COMPRESSED', 'ADDRESS_FORMAT_UNCOMPRESSED'] };
  const key = await newPrivateKey(root, 'Leaves', formats);
  const { privateKeyId } = key;
  for (const more of [{}, { deleteWithoutExport: false }])
    refused(
      await root.submit(TYPE, { privateKeyIds: [privateKeyId], ...more }),
      unexported(privateKeyId),
      'parameters.privateKeyIds',
    );
  await stands(key);
  await privateKeyOf(root, privateKeyId);
  const result = resultOf(await root.submit(TYPE, { privateKeyIds: [privateKeyId] }), KEY);
  assert.deepEqual(result, { privateKeyIds: [privateKeyId] });
  await isGone(key);
  refused(await root.submit(TYPE, { privateKeyIds: [privateKeyId], deleteWithoutExport: true }), NO_KEY);
  const again = await newPrivateKey(root, 'Leaves', formats);
  assert.notEqual(again.privateKeyId, privateKeyId);
  await stands(again);
});

test('without export where that is said; an id that is named twice counts once', async () => {
  const { root } = instance;
  const [a, b] = [await newPrivateKey(root, 'a'), await newPrivateKey(root, 'b')];
  const privateKeyIds = [a.privateKeyId, b.privateKeyId.toUpperCase(), a.privateKeyId];
  const result = resultOf(await root.submit(TYPE, { privateKeyIds, deleteWithoutExport: true }), KEY);
  assert.deepEqual(new Set(result.privateKeyIds), new Set([a.privateKeyId, b.privateKeyId]));
  for (const key of [a, b]) await isGone(key);
});

test('all of them, or none', async () => {
  const { root } = instance;
  const [exported, kept] = [await newPrivateKey(root, 'Exported'), await newPrivateKey(root, 'Kept')];
  await privateKeyOf(root, exported.privateKeyId);
  const made = await agreed(pair, 'CREATE_PRIVATE_KEYS_V2', bare('Theirs'));
  const theirs = resultOf(made, 'createPrivateKeysResultV2').privateKeys[0].privateKeyId;
  for (const id of [NOBODY, theirs]) {
    const privateKeyIds = [exported.privateKeyId, id, kept.privateKeyId];
    const wanted = new RegExp(`private key not found: parameters.privateKeyIds names ${id}`);
    refused(await root.submit(TYPE, { privateKeyIds, deleteWithoutExport: true }), [404, 'UNSPECIFIED', wanted]);
  }
  const both = [exported.privateKeyId, kept.privateKeyId];
  refused(await root.submit(TYPE, { privateKeyIds: both }), unexported(kept.privateKeyId));
  await stands(exported);
  await stands(kept);
  assert.equal(await count(pair.parent, 'list_private_keys', 'privateKeys'), 1);
});

test('a user without permission is refused, until a policy allows it', async () => {
  const key = await newPrivateKey(instance.root, 'Guarded');
  const parameters = { privateKeyIds: [key.privateKeyId], deleteWithoutExport: true };
  await refusedToNobody(instance, TYPE, parameters);
  await stands(key);
  const { client, userId } = await instance.newUser('Cleans up');
  denied(await client.submit(TYPE, parameters));
  await newPolicy(instance.root, {
    condition: "activity.resource == 'PRIVATE_KEY' && activity.action == 'DELETE'",
    consensus: approvedBy(userId),
  });
  resultOf(await client.submit(TYPE, parameters), KEY);
});

test('bad parameters are named', () =>
  refusesEach(instance.root, TYPE, [
    [{ privateKeyIds: [NOBODY, 'x'] }, 'parameters.privateKeyIds[1]', /must be a UUID/],
    [{ privateKeyIds: Array(101).fill(NOBODY) }, 'parameters.privateKeyIds', /100/],
  ]));
