import assert from 'node:assert/strict';
import { test } from 'node:test';
import { apiKey, newKeys, resultOf, submitPath } from '../../support/client.ts';
import { NOBODY, refused } from '../../support/refusals.ts';
import { agreed, sharedPair } from '../support.ts';

const { instance, pair } = await sharedPair();

const TYPE = 'DELETE_API_KEYS';
const KEY = 'deleteApiKeysResult';
/** A user with `more` further keys; ids of all keys, oldest first. */
async function userWithKeys(name: string, more: number, extra: object = {}) {
  const user = await instance.newUser(name);
  const keys = Array.from({ length: more }, newKeys);
  if (more > 0)
    resultOf(
      await instance.root.submit('CREATE_API_KEYS_V2', { userId: user.userId, apiKeys: keys.map((k) => apiKey(k, extra)) }),
      'createApiKeysResult',
    );
  const { apiKeys } = (await instance.root.query('get_api_keys', { userId: user.userId })).body;
  return { ...user, more: keys, ids: apiKeys.map((k: { apiKeyId: string }) => k.apiKeyId) as string[] };
}

test('a deleted key is refused at once, for queries and submits, and for a body that it stamped before', async () => {
  const user = await userWithKeys('Rotates', 1);
  const [mine, other] = [user.client, user.client.as(user.more[0]!)];
  const earlier = other.bodyOf('CREATE_API_KEYS_V2', { userId: user.userId, apiKeys: [apiKey(newKeys())] });
  resultOf(await other.send(submitPath('CREATE_API_KEYS'), earlier), 'createApiKeysResult');
  const result = resultOf(await mine.submit(TYPE, { userId: user.userId, apiKeyIds: [user.ids[1]] }), KEY);
  assert.deepEqual(result, { apiKeyIds: [user.ids[1]] });
  const gone: [number, string, RegExp] = [401, 'PUBLIC_KEY_NOT_FOUND', /could not find public key/];
  refused(await other.query('whoami'), gone);
  refused(await other.submit('CREATE_API_KEYS_V2', { userId: user.userId, apiKeys: [apiKey(newKeys())] }), gone);
  refused(await other.send(submitPath('CREATE_API_KEYS'), earlier), gone);
  assert.equal((await mine.query('whoami')).status, 200);
  const { apiKeys } = (await instance.root.query('get_api_keys', { userId: user.userId })).body;
  assert.ok(!apiKeys.some((k: { apiKeyId: string }) => k.apiKeyId === user.ids[1]));
  // The public key is free again.
  resultOf(
    await instance.root.submit('CREATE_API_KEYS_V2', { userId: user.userId, apiKeys: [apiKey(user.more[0]!)] }),
    'createApiKeysResult',
  );
});

test('a user may take away the very key that stamped the request', async () => {
  const user = await userWithKeys('Itself', 1);
  resultOf(await user.client.submit(TYPE, { userId: user.userId, apiKeyIds: [user.ids[0]] }), KEY);
  assert.equal((await user.client.query('whoami')).status, 401);
  assert.equal((await user.client.as(user.more[0]!).query('whoami')).status, 200);
});

test('the last credential stays, and a key that expires does not count', async () => {
  const all = await userWithKeys('All', 1);
  const wanted = [400, 'REQUEST_INVALID', /at least one valid credential/] as [number, string, RegExp];
  for (const client of [instance.root, all.client])
    refused(await client.submit(TYPE, { userId: all.userId, apiKeyIds: all.ids }), wanted, 'parameters.apiKeyIds');
  assert.equal((await all.client.query('whoami')).status, 200, 'nothing of a failed activity stays');
  const expiring = await userWithKeys('Expiring', 1, { expirationSeconds: '3600' });
  refused(await instance.root.submit(TYPE, { userId: expiring.userId, apiKeyIds: [expiring.ids[0]] }), wanted);
  resultOf(await instance.root.submit(TYPE, { userId: expiring.userId, apiKeyIds: [expiring.ids[1]] }), KEY);
});

test('where login by email is on, an email is a credential', async () => {
  const sub = await instance.newSubOrganization('Mail', 1, 1);
  const root = sub.clients[0]!;
  const user = { userName: 'Mail', apiKeys: [apiKey(newKeys())], authenticators: [], oauthProviders: [], userTags: [] };
  const made = await root.submit('CREATE_USERS_V4', { users: [{ ...user, userEmail: 'a@example.com' }] });
  const [userId] = resultOf(made, 'createUsersResult').userIds;
  const [{ apiKeyId }] = (await root.query('get_api_keys', { userId })).body.apiKeys;
  resultOf(await root.submit(TYPE, { userId, apiKeyIds: [apiKeyId] }), KEY);
  assert.deepEqual((await root.query('get_api_keys', { userId })).body.apiKeys, []);
});

test('unknown users and keys, and keys of somebody else', async () => {
  const user = await userWithKeys('Someone', 2);
  const other = await userWithKeys('Else', 1);
  const { root } = instance;
  refused(await root.submit(TYPE, { userId: NOBODY, apiKeyIds: [user.ids[0]] }), [404, 'UNSPECIFIED', /user not found/]);
  refused(await root.submit(TYPE, { userId: pair.userIds[0], apiKeyIds: [NOBODY] }), [404, 'UNSPECIFIED', /user not found/]);
  for (const apiKeyIds of [[NOBODY], [other.ids[1]], [user.ids[1], other.ids[1]]])
    refused(await root.submit(TYPE, { userId: user.userId, apiKeyIds }), [404, 'UNSPECIFIED', /api key not found/]);
  assert.equal((await root.query('get_api_keys', { userId: user.userId })).body.apiKeys.length, 3);
  resultOf(await root.submit(TYPE, { userId: user.userId, apiKeyIds: [user.ids[1], user.ids[1]] }), KEY);
  assert.equal((await root.query('get_api_keys', { userId: user.userId })).body.apiKeys.length, 2, 'named twice, deleted once');
});

test('an approval whose key was deleted meanwhile no longer counts', async () => {
  const [first, second] = pair.clients;
  const lost = newKeys();
  const made = await agreed(pair, 'CREATE_API_KEYS_V2', { userId: pair.userIds[0], apiKeys: [apiKey(lost)] });
  const [apiKeyId] = resultOf(made, 'createApiKeysResult').apiKeyIds;
  const body = first.bodyOf('CREATE_WALLET', { walletName: 'Waits', accounts: [] });
  const path = submitPath('CREATE_WALLET');
  assert.equal((await first.as(lost).send(path, body)).body.activity.status, 'ACTIVITY_STATUS_CONSENSUS_NEEDED');
  resultOf(await agreed(pair, TYPE, { userId: pair.userIds[0], apiKeyIds: [apiKeyId] }), KEY);
  const alone = (await second.send(path, body)).body.activity;
  assert.equal(alone.status, 'ACTIVITY_STATUS_CONSENSUS_NEEDED', 'one living approval of two');
  // The first user still has a key, and may approve with it.
  const { activity } = (await first.query('get_activity', { activityId: alone.id })).body;
  assert.equal(activity.canApprove, true, 'the first user’s approval is gone, so it may be given again');
  const done = (await first.send(path, body)).body.activity;
  assert.equal(done.status, 'ACTIVITY_STATUS_COMPLETED');
});

test('deleted and used at the same instant: either it was first or it was refused', async () => {
  const user = await userWithKeys('Raced', 1);
  const other = user.client.as(user.more[0]!);
  const [removed, ...used] = await Promise.all([
    user.client.submit(TYPE, { userId: user.userId, apiKeyIds: [user.ids[1]] }),
    ...Array.from({ length: 6 }, () => other.submit('CREATE_API_KEYS_V2', { userId: user.userId, apiKeys: [apiKey(newKeys())] })),
  ]);
  resultOf(removed!, KEY);
  for (const answer of used) assert.ok(answer.status === 200 || answer.status === 401, answer.text);
  assert.equal((await other.query('whoami')).status, 401);
});
