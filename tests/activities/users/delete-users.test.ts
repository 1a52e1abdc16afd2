import assert from 'node:assert/strict';
import { test } from 'node:test';
import { approvedBy } from '../../e2e/authority.ts';
import { apiKey, newKeys, resultOf, submitPath, userWith } from '../../support/client.ts';
import { NOBODY, refused } from '../../support/refusals.ts';
import { agreed, count, refusedToNobody, sharedPair } from '../support.ts';

const { instance, pair } = await sharedPair();

const TYPE = 'DELETE_USERS';
const KEY = 'deleteUsersResult';
test('gone with keys and tags; their stamps are refused at once, and their public keys are free', async () => {
  const { root } = instance;
  const [a, b] = [await instance.newUser('A'), await instance.newUser('B')];
  const tag = { userTagName: 'Both', userIds: [a.userId, b.userId] };
  const { userTagId } = resultOf(await root.submit('CREATE_USER_TAG', tag), 'createUserTagResult');
  assert.deepEqual(resultOf(await root.submit(TYPE, { userIds: [a.userId] }), KEY), { userIds: [a.userId] });
  refused(await a.client.query('whoami'), [401, 'PUBLIC_KEY_NOT_FOUND', /could not find public key/]);
  const own = { userId: a.userId, apiKeys: [apiKey(newKeys())] };
  refused(await a.client.submit('CREATE_API_KEYS_V2', own), [401, 'PUBLIC_KEY_NOT_FOUND', /could not find public key/]);
  assert.equal((await root.query('get_user', { userId: a.userId })).status, 404);
  assert.deepEqual((await root.query('get_api_keys', { userId: a.userId })).body.apiKeys, []);
  assert.deepEqual((await root.query('get_user', { userId: b.userId })).body.user.userTags, [userTagId]);
  const users = [{ ...userWith('A again', [a.keys]), userTags: [] }];
  const [again] = resultOf(await root.submit('CREATE_USERS_V4', { users }), 'createUsersResult').userIds;
  assert.notEqual(again, a.userId);
  const deleted = resultOf(await root.submit('DELETE_USER_TAGS', { userTagIds: [userTagId] }), 'deleteUserTagsResult');
  assert.deepEqual(deleted.userIds, [b.userId]);
});

test('votes show their users as they were: before a tag was taken, before keys came and went, before the user was deleted', async () => {
  const { root } = instance;
  const { client, userId, keys } = await instance.newUser('Recorded');
  const voterOf = async (activityId: string) => (await root.query('get_activity', { activityId })).body.activity.votes[0].user;
  const userTagId = resultOf(
    await root.submit('CREATE_USER_TAG', { userTagName: 'Was', userIds: [userId] }),
    'createUserTagResult',
  ).userTagId;
  const second = newKeys();
  const added = await client.submit('CREATE_API_KEYS_V2', { userId, apiKeys: [apiKey(second)] });
  const [secondId] = resultOf(added, 'createApiKeysResult').apiKeyIds;
  const first = await voterOf(added.body.activity.id);
  assert.deepEqual([first.userTags, first.apiKeys.length], [[userTagId], 1]);
  assert.equal(first.apiKeys[0].credential.publicKey, keys.publicKey);
  resultOf(await root.submit('DELETE_USER_TAGS', { userTagIds: [userTagId] }), 'deleteUserTagsResult');
  const taken = await client.as(second).submit('DELETE_API_KEYS', { userId, apiKeyIds: [secondId] });
  const shown = taken.body.activity.votes[0].user;
  assert.deepEqual([shown.userTags, shown.apiKeys.length], [[], 2], 'the answer too');
  resultOf(await root.submit(TYPE, { userIds: [userId] }), KEY);
  assert.deepEqual(await voterOf(added.body.activity.id), first);
  assert.deepEqual(await voterOf(taken.body.activity.id), shown);
  assert.equal(first.userName, 'Recorded');
});

test('a root user must leave the quorum first', async () => {
  const { userId } = instance.credentials;
  const wanted: [number, string, RegExp] = [400, 'REQUEST_INVALID', /quorum users missing/];
  refused(await instance.root.submit(TYPE, { userIds: [userId] }), wanted, 'parameters.userIds');
  const other = await instance.newUser('Stays');
  refused(await instance.root.submit(TYPE, { userIds: [other.userId, userId] }), wanted);
  assert.equal((await other.client.query('whoami')).status, 200, 'nothing of a failed activity stays');
});

test('users that are not there, and another organization’s', async () => {
  const { userId, client } = await instance.newUser('Kept');
  for (const id of [NOBODY, pair.outsiderId])
    refused(await instance.root.submit(TYPE, { userIds: [userId, id] }), [404, 'UNSPECIFIED', /user not found: .*userIds/]);
  assert.equal((await client.query('whoami')).status, 200);
  assert.equal((await pair.outsider.query('whoami')).status, 200);
});

test('the vote of a deleted user no longer counts', async () => {
  const { clients, userIds, organizationId } = await instance.newSubOrganization('Votes', 3, 2);
  const [first, second, third] = clients;
  const path = submitPath('CREATE_WALLET');
  const body = first!.bodyOf('CREATE_WALLET', { walletName: 'Waits', accounts: [] });
  assert.equal((await first!.send(path, body)).body.activity.status, 'ACTIVITY_STATUS_CONSENSUS_NEEDED');
  const two = { clients: [second!, third!] as const };
  await agreed(two, 'UPDATE_ROOT_QUORUM', { threshold: 2, userIds: userIds.slice(1) });
  resultOf(await agreed(two, TYPE, { userIds: [userIds[0]] }), KEY);
  assert.equal((await second!.send(path, body)).body.activity.status, 'ACTIVITY_STATUS_CONSENSUS_NEEDED');
  assert.equal((await third!.send(path, body)).body.activity.status, 'ACTIVITY_STATUS_COMPLETED');
  assert.equal(await count(instance.root.as(instance.root.keys, organizationId), 'list_users', 'users'), 2);
});

test('a policy may say who deletes whom', async () => {
  const mine = await instance.newUser('Leaves');
  const other = await instance.newUser('Remains');
  const allow = {
    policyName: 'may delete oneself',
    effect: 'EFFECT_ALLOW',
    condition: `activity.kind == 'DELETE_USERS' && activity.params.user_ids.count() == 1 && '${mine.userId}' in activity.params.user_ids`,
    consensus: approvedBy(mine.userId),
    notes: '',
  };
  resultOf(await instance.root.submit('CREATE_POLICY_V3', allow), 'createPolicyResult');
  const forbidden: [number, string, RegExp] = [403, 'REQUEST_NOT_AUTHORIZED', /sufficient permissions/];
  refused(await mine.client.submit(TYPE, { userIds: [other.userId] }), forbidden);
  refused(await mine.client.submit(TYPE, { userIds: [mine.userId, other.userId] }), forbidden);
  resultOf(await mine.client.submit(TYPE, { userIds: [mine.userId] }), KEY);
  assert.equal((await mine.client.query('whoami')).status, 401);
});

test('deleted while a key is added: no key outlives its user', async () => {
  for (let round = 0; round < 5; round++) {
    const { client, userId } = await instance.newUser(`Raced ${round}`);
    const keys = newKeys();
    const [deleted] = await Promise.all([
      instance.root.submit(TYPE, { userIds: [userId] }),
      client.submit('CREATE_API_KEYS_V2', { userId, apiKeys: [apiKey(keys)] }),
    ]);
    resultOf(deleted, KEY);
    const users = [{ ...userWith(`After ${round}`, [keys]), userTags: [] }];
    resultOf(await instance.root.submit('CREATE_USERS_V4', { users }), 'createUsersResult');
  }
});

test('a user without permission is refused, even for oneself', async () => {
  await refusedToNobody(instance, TYPE, { userIds: [NOBODY] });
  const { client, userId } = await instance.newUser('Oneself');
  refused(await client.submit(TYPE, { userIds: [userId] }), [403, 'REQUEST_NOT_AUTHORIZED', /sufficient permissions/]);
});
