import assert from 'node:assert/strict';
import { test } from 'node:test';
import { apiKey, newKeys, p256Key, resultOf } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';
import { NOBODY, refused, refusesEach } from '../../support/refusals.ts';
import { count } from '../support.ts';
import { marksOf } from '../tokens.ts';

const instance = await sharedInstance();

const TYPE = 'CREATE_API_ONLY_USERS';
const KEY = 'createApiOnlyUsersResult';
const user = (name: string, more: object = {}) => ({ userName: name, userTags: [], apiKeys: [p256Key(newKeys())], ...more });

test('users with keys, tags and an email, who can sign in at once', async () => {
  const mine = newKeys();
  const tag = { userTagName: 'Machines', userIds: [] };
  const { userTagId } = resultOf(await instance.root.submit('CREATE_USER_TAG', tag), 'createUserTagResult');
  const apiOnlyUsers = [
    user('One', { apiKeys: [p256Key(mine)], userEmail: 'One@Example.com', userTags: [userTagId] }),
    user('Two'),
  ];
  const answer = await instance.root.submit(TYPE, { apiOnlyUsers });
  const { userIds } = resultOf(answer, KEY);
  assert.equal(userIds.length, 2);
  assert.deepEqual(answer.body.activity.intent, { createApiOnlyUsersIntent: { apiOnlyUsers } });
  const { activity } = (await instance.root.query('get_activity', { activityId: answer.body.activity.id })).body;
  assert.deepEqual([activity.intent, activity.result], [answer.body.activity.intent, { [KEY]: { userIds } }]);
  const shown = (await instance.root.query('get_user', { userId: userIds[0] })).body.user;
  assert.deepEqual([shown.userName, shown.userEmail, shown.userTags], ['One', 'One@Example.com', [userTagId]]);
  assert.equal(shown.apiKeys[0].credential.type, 'CREDENTIAL_TYPE_API_KEY_P256');
  assert.equal((await instance.root.as(mine).query('whoami')).body.userId, userIds[0]);
  assert.deepEqual(await marksOf(instance, userIds[0]), { access: 'ACCESS_TYPE_API', email: false, phone: false });
});

test('they keep an API key: neither made without one, nor left without', async () => {
  const { clients } = await instance.newSubOrganization('Login by email is on', 1, 1);
  const [root] = clients;
  const expiring = { ...p256Key(newKeys()), expirationSeconds: '60' };
  for (const apiKeys of [[], [expiring]])
    refused(
      await root!.submit(TYPE, { apiOnlyUsers: [user('None', { apiKeys, userEmail: 'a@b.c' })] }),
      [400, 'REQUEST_INVALID', /must have an API key that does not expire/],
      'parameters.apiOnlyUsers[0]',
    );
  const [userId] = resultOf(await root!.submit(TYPE, { apiOnlyUsers: [user('Some', { userEmail: 'a@b.c' })] }), KEY).userIds;
  const [{ apiKeyId }] = (await root!.query('get_api_keys', { userId })).body.apiKeys;
  const remove = () => root!.submit('DELETE_API_KEYS', { userId, apiKeyIds: [apiKeyId] });
  refused(await remove(), [400, 'REQUEST_INVALID', /must have an API key/], 'parameters.apiKeyIds');
  resultOf(await root!.submit('CREATE_API_KEYS_V2', { userId, apiKeys: [apiKey(newKeys())] }), 'createApiKeysResult');
  resultOf(await remove(), 'deleteApiKeysResult');
});

test('a public key that the organization has is refused, and all users with it', async () => {
  const before = await count(instance.root, 'list_users', 'users');
  const apiOnlyUsers = [user('A'), user('B', { apiKeys: [p256Key(instance.root.keys)] })];
  refused(
    await instance.root.submit(TYPE, { apiOnlyUsers }),
    [400, 'REQUEST_INVALID', /already has a credential with this public key/],
    'parameters.apiOnlyUsers[1].apiKeys[0].publicKey',
  );
  assert.equal(await count(instance.root, 'list_users', 'users'), before);
});

test('a tag that is not there is refused', async () => {
  const apiOnlyUsers = [user('Tagged', { userTags: [NOBODY] })];
  refused(await instance.root.submit(TYPE, { apiOnlyUsers }), [
    404,
    'UNSPECIFIED',
    /tag not found: parameters\.apiOnlyUsers\[0\]/,
  ]);
});

test('the limit of users counts them', async () => {
  const apiOnlyUsers = Array.from({ length: 100 }, (_, i) => user(`Many ${i}`));
  refused(await instance.root.submit(TYPE, { apiOnlyUsers }), [429, 'UNSPECIFIED', /limit of 100 users/]);
});

test('bad parameters are named', () => {
  const at = 'parameters.apiOnlyUsers[0]';
  const one = (more: object) => ({ apiOnlyUsers: [user('Bad', more)] });
  return refusesEach(instance.root, TYPE, [
    [one({ userEmail: 'a..b@c.d' }), `${at}.userEmail`, /invalid email address/, 'INVALID_EMAIL'],
    [one({ apiKeys: [{ apiKeyName: 'k', publicKey: '02' }] }), `${at}.apiKeys[0].publicKey`, /is not a public key/],
  ]);
});
