import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resultOf } from '../../support/client.ts';
import { refused } from '../../support/refusals.ts';
import { refusedToNobody, sharedPair } from '../support.ts';

const { instance, pair } = await sharedPair();
const { root } = instance;

const TYPE = 'ENABLE_AUTH_PROXY';
const KEY = 'enableAuthProxyResult';
const featuresOf = async () => (await root.query('get_organization', {})).body.organizationData.features;

test('a user without permission is refused', () => refusedToNobody(instance, TYPE, {}));

test('a sub-organization has none', async () => {
  refused(await pair.clients[0].submit(TYPE, {}), [400, 'INVALID_ACTIVITY_CALLER', /cannot be started in a sub-organization/]);
});

test('it makes a user with a key whose private half is sealed, and shows the feature', async () => {
  const { userId } = resultOf(await root.submit(TYPE, {}), KEY);
  const { user } = (await root.query('get_user', { userId })).body;
  assert.equal(user.userName, 'Auth proxy');
  assert.equal(user.apiKeys.length, 1);
  assert.equal(user.apiKeys[0].credential.type, 'CREDENTIAL_TYPE_API_KEY_P256');
  assert.ok((await featuresOf()).some(({ name }: { name: string }) => name === 'FEATURE_NAME_AUTH_PROXY'));
  const [row] = await instance.raw('SELECT * FROM auth_proxy_configs');
  assert.equal(Buffer.from(row!.public_key as Uint8Array).toString('hex'), user.apiKeys[0].credential.publicKey);
  // A header, a nonce, 32 bytes and a tag.
  assert.equal((row!.sealed_key as Uint8Array).length, 5 + 12 + 32 + 16);

  assert.deepEqual(resultOf(await root.submit(TYPE, {}), KEY), { userId }, 'a second time, nothing changes');
  assert.equal((await instance.raw('SELECT * FROM auth_proxy_configs')).length, 1);
});

test('two at once make one user', async () => {
  resultOf(await root.submit('DISABLE_AUTH_PROXY', {}), 'disableAuthProxyResult');
  const results = await Promise.all([0, 1, 2].map(async () => resultOf(await root.submit(TYPE, {}), KEY)));
  assert.equal(new Set(results.map(({ userId }) => userId)).size, 1);
  const { users } = (await root.query('list_users', {})).body;
  assert.equal(users.filter(({ userName }: { userName: string }) => userName === 'Auth proxy').length, 1);
});
