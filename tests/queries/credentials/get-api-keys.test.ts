import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getApiKeys } from '../../../src/queries/credentials/get-api-keys.ts';
import { apiKey, newKeys, resultOf } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';
import { NOBODY } from '../../support/refusals.ts';

const instance = await sharedInstance();

type Key = { apiKeyId: string; credential: { publicKey: string } };
const keysOf = (body: { apiKeys: Key[] }) => body.apiKeys.map((k) => k.credential.publicKey);

test('those of the organization, or of one user', async () => {
  const user = await instance.newUser('Two');
  const second = newKeys();
  const added = { userId: user.userId, apiKeys: [apiKey(second, { expirationSeconds: '3600' })] };
  const { apiKeyIds } = resultOf(await user.client.submit('CREATE_API_KEYS_V2', added), 'createApiKeysResult');
  const { body } = await instance.root.query('get_api_keys', { userId: user.userId });
  assert.deepEqual(keysOf(body), [user.keys.publicKey, second.publicKey]);
  assert.deepEqual(getApiKeys.result.parse(body), body, 'the answer has its declared shape');
  assert.equal(body.apiKeys[1].apiKeyId, apiKeyIds[0]);
  assert.deepEqual(body.apiKeys[1].expirationSeconds, '3600');
  assert.equal('expirationSeconds' in body.apiKeys[0], false);
  assert.match(body.apiKeys[0].createdAt.seconds, /^\d{10}$/);
  const all = keysOf((await user.client.query('get_api_keys')).body);
  assert.deepEqual(new Set(all), new Set([instance.root.keys.publicKey, user.keys.publicKey, second.publicKey]));
});

test('an expired key is still listed', async () => {
  const user = await instance.newUser('Expired');
  const added = { userId: user.userId, apiKeys: [apiKey(newKeys(), { expirationSeconds: '1' })] };
  await user.client.submit('CREATE_API_KEYS_V2', added);
  instance.clock.advance(2000);
  assert.equal((await instance.root.query('get_api_keys', { userId: user.userId })).body.apiKeys.length, 2);
});

test('an unknown user and a user of another organization have none', async () => {
  const sub = await instance.newSubOrganization('Sub', 1, 1);
  for (const userId of [NOBODY, sub.userIds[0]])
    assert.deepEqual((await instance.root.query('get_api_keys', { userId })).body, { apiKeys: [] });
  const parent = instance.root.as(instance.root.keys, sub.organizationId);
  assert.deepEqual(keysOf((await parent.query('get_api_keys')).body), [sub.clients[0]!.keys.publicKey]);
  assert.deepEqual(keysOf((await parent.query('get_api_keys', { userId: sub.userIds[0] })).body), [
    sub.clients[0]!.keys.publicKey,
  ]);
});
