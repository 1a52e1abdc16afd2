import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ethers } from 'ethers';
import { resultOf } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';
import { NOBODY, refused, refusesEach } from '../../support/refusals.ts';
import { count } from '../support.ts';

const instance = await sharedInstance();

const TYPE = 'CREATE_PRIVATE_KEYS_V2';
const KEY = 'createPrivateKeysResultV2';
const key = (privateKeyName: string, more: object = {}) => ({
  privateKeyName,
  curve: 'CURVE_SECP256K1',
  privateKeyTags: [],
  addressFormats: ['ADDRESS_FORMAT_ETHEREUM'],
  ...more,
});

test('keys on every curve, with their addresses in the order asked for', async () => {
  const wanted = [
    key('k1', { addressFormats: ['ADDRESS_FORMAT_UNCOMPRESSED', 'ADDRESS_FORMAT_ETHEREUM', 'ADDRESS_FORMAT_COMPRESSED'] }),
    key('p', { curve: 'CURVE_P256', addressFormats: ['ADDRESS_FORMAT_COMPRESSED'] }),
    key('ed', { curve: 'CURVE_ED25519', addressFormats: ['ADDRESS_FORMAT_SOLANA'] }),
    key('bare', { addressFormats: [] }),
  ];
  const { privateKeys } = resultOf(await instance.root.submit(TYPE, { privateKeys: wanted }), KEY);
  assert.deepEqual(
    privateKeys.map((k: { addresses: { format: string }[] }) => k.addresses.map((a) => a.format)),
    wanted.map((k) => k.addressFormats),
  );
  for (const [i, made] of privateKeys.entries()) {
    const shown = (await instance.root.query('get_private_key', { privateKeyId: made.privateKeyId })).body.privateKey;
    assert.equal(shown.privateKeyName, wanted[i]!.privateKeyName);
    assert.equal(shown.curve, wanted[i]!.curve);
    assert.match(shown.publicKey, i === 2 ? /^[0-9a-f]{64}$/ : /^0[23][0-9a-f]{64}$/);
    const byFormat = (a: { format: string }, b: { format: string }) => (a.format < b.format ? -1 : 1);
    assert.deepEqual(shown.addresses.toSorted(byFormat), made.addresses.toSorted(byFormat));
    assert.deepEqual([shown.exported, shown.imported, shown.privateKeyTags], [false, false, []]);
  }
  const first = (await instance.root.query('get_private_key', { privateKeyId: privateKeys[0].privateKeyId })).body.privateKey;
  assert.equal(privateKeys[0].addresses[1].address, ethers.computeAddress(`0x${first.publicKey}`));
});

test('a format that is asked for twice comes once', async () => {
  const twice = key('twice', { addressFormats: ['ADDRESS_FORMAT_ETHEREUM', 'ADDRESS_FORMAT_ETHEREUM'] });
  const { privateKeys } = resultOf(await instance.root.submit(TYPE, { privateKeys: [twice] }), KEY);
  assert.equal(privateKeys[0].addresses.length, 1);
});

test('version 1 answers with ids alone, under its own key', async () => {
  const answer = await instance.root.submit('CREATE_PRIVATE_KEYS', { privateKeys: [key('one'), key('two')] });
  const { activity } = answer.body;
  assert.equal(activity.type, 'ACTIVITY_TYPE_CREATE_PRIVATE_KEYS');
  assert.deepEqual(Object.keys(activity.intent), ['createPrivateKeysIntent']);
  assert.deepEqual(Object.keys(activity.result).sort(), ['activity', 'createPrivateKeysResult']);
  const result = resultOf(answer, 'createPrivateKeysResult');
  assert.deepEqual(Object.keys(result), ['privateKeyIds']);
  assert.equal(result.privateKeyIds.length, 2);
  for (const privateKeyId of result.privateKeyIds)
    assert.equal((await instance.root.query('get_private_key', { privateKeyId })).status, 200);
  const stored = (await instance.root.query('get_activity', { activityId: activity.id })).body.activity;
  assert.deepEqual(stored.result, { createPrivateKeysResult: result });
});

test('a name that the organization has is refused, and all keys with it', async () => {
  resultOf(await instance.root.submit(TYPE, { privateKeys: [key('taken')] }), KEY);
  const before = await count(instance.root, 'list_private_keys', 'privateKeys');
  for (const privateKeys of [
    [key('fresh'), key('taken')],
    [key('fresh'), key('fresh')],
  ]) {
    const answer = await instance.root.submit(TYPE, { privateKeys });
    refused(answer, [400, 'REQUEST_INVALID', /label must be unique/], 'parameters.privateKeys[1].privateKeyName');
  }
  assert.equal(await count(instance.root, 'list_private_keys', 'privateKeys'), before);
});

test('an unknown tag is refused', async () => {
  const tagged = key('tagged', { privateKeyTags: [NOBODY] });
  const answer = await instance.root.submit(TYPE, { privateKeys: [tagged] });
  refused(answer, [404, 'UNSPECIFIED', /private key tag not found: parameters\.privateKeys\[0\]\.privateKeyTags/]);
});

test('bad parameters are named', async () => {
  const at = 'parameters.privateKeys[0]';
  const one = (more: object) => ({ privateKeys: [key('bad', more)] });
  for (const type of ['CREATE_PRIVATE_KEYS', TYPE])
    await refusesEach(instance.root, type, [
      [one({ addressFormats: ['ADDRESS_FORMAT_SOLANA'] }), `${at}.addressFormats[0]`, /invalid curve/],
      [one({ curve: 'CURVE_ED25519' }), `${at}.addressFormats[0]`, /invalid curve/],
    ]);
});
