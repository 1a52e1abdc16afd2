import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getPrivateKey } from '../../../src/queries/private-keys/get-private-key.ts';
import { type Client, resultOf } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';
import { hidesOthers } from '../support.ts';

const instance = await sharedInstance();

async function newKey(client: Client, privateKeyName: string) {
  // Not in alphabetical order: they are shown in the order of the request.
  const addressFormats = ['UNCOMPRESSED', 'ETHEREUM', 'COMPRESSED'].map((name) => `ADDRESS_FORMAT_${name}`);
  const key = { privateKeyName, curve: 'CURVE_SECP256K1', privateKeyTags: [], addressFormats };
  const answer = await client.submit('CREATE_PRIVATE_KEYS_V2', { privateKeys: [key] });
  return resultOf(answer, 'createPrivateKeysResultV2').privateKeys[0];
}

test('one key: its public half and addresses, and nothing of its private half', async () => {
  const made = await newKey(instance.root, 'One');
  const answer = await instance.root.query('get_private_key', { privateKeyId: made.privateKeyId });
  const { body } = answer;
  assert.deepEqual(getPrivateKey.result.parse(body), body, 'the answer has its declared shape');
  assert.deepEqual(Object.keys(body.privateKey).sort(), [
    'addresses',
    'createdAt',
    'curve',
    'exported',
    'imported',
    'privateKeyId',
    'privateKeyName',
    'privateKeyTags',
    'publicKey',
    'updatedAt',
  ]);
  assert.deepEqual(body.privateKey.addresses, made.addresses);
});

test('the parent reads it; elsewhere it is nothing', async () => {
  const sub = await instance.newSubOrganization('Sub', 1, 1);
  const { privateKeyId } = await newKey(sub.clients[0]!, 'Theirs');
  const parent = instance.root.as(instance.root.keys, sub.organizationId);
  assert.equal((await parent.query('get_private_key', { privateKeyId })).body.privateKey.privateKeyName, 'Theirs');
  await hidesOthers(instance.root, 'get_private_key', 'privateKeyId', privateKeyId, /private key not found/);
});
