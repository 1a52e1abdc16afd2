import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getApiKey } from '../../../src/queries/credentials/get-api-key.ts';
import { apiKey, type Client, newKeys, resultOf } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';
import { NOBODY } from '../../support/refusals.ts';
import { hidesOthers } from '../support.ts';

const instance = await sharedInstance();

async function newApiKey(client: Client, userId: string, more: object = {}): Promise<{ publicKey: string; apiKeyId: string }> {
  const keys = newKeys();
  const added = await client.submit('CREATE_API_KEYS_V2', { userId, apiKeys: [apiKey(keys, more)] });
  return { publicKey: keys.publicKey, apiKeyId: resultOf(added, 'createApiKeysResult').apiKeyIds[0] };
}

test('one key, whatever the case of its id', async () => {
  const { userId } = await instance.newUser('Holder');
  const { apiKeyId, publicKey } = await newApiKey(instance.root, userId, { apiKeyName: 'One' });
  const { body } = await instance.root.query('get_api_key', { apiKeyId: apiKeyId.toUpperCase() });
  assert.deepEqual(getApiKey.result.parse(body), body, 'the answer has its declared shape');
  const { createdAt, updatedAt, ...rest } = body.apiKey;
  assert.deepEqual(rest, { apiKeyId, apiKeyName: 'One', credential: { publicKey, type: 'CREDENTIAL_TYPE_API_KEY_P256' } });
  assert.deepEqual(createdAt, updatedAt);
  assert.match(createdAt.seconds, /^\d{10}$/);
  const { apiKeys } = (await instance.root.query('get_api_keys', { userId })).body;
  assert.ok(
    apiKeys.some((key: object) => JSON.stringify(key) === JSON.stringify(body.apiKey)),
    'as the list shows it',
  );
});

test('an expired key is still there, with its expiration; a deleted one is not', async () => {
  const { userId } = await instance.newUser('Expiring');
  const { apiKeyId } = await newApiKey(instance.root, userId, { expirationSeconds: '1' });
  instance.clock.advance(2000);
  assert.equal((await instance.root.query('get_api_key', { apiKeyId })).body.apiKey.expirationSeconds, '1');
  resultOf(await instance.root.submit('DELETE_API_KEYS', { userId, apiKeyIds: [apiKeyId] }), 'deleteApiKeysResult');
  const gone = await instance.root.query('get_api_key', { apiKeyId });
  assert.equal(gone.status, 404);
  assert.equal(gone.text, (await instance.root.query('get_api_key', { apiKeyId: NOBODY })).text.replace(NOBODY, apiKeyId));
});

test('the parent reads it; elsewhere it is nothing', async () => {
  const sub = await instance.newSubOrganization('Sub', 1, 1);
  const { apiKeyId, publicKey } = await newApiKey(sub.clients[0]!, sub.userIds[0]!);
  const parent = instance.root.as(instance.root.keys, sub.organizationId);
  assert.equal((await parent.query('get_api_key', { apiKeyId })).body.apiKey.credential.publicKey, publicKey);
  await hidesOthers(instance.root, 'get_api_key', 'apiKeyId', apiKeyId, /api key not found: apiKeyId names/);
});
