import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resultOf } from '../../support/client.ts';
import { startInstance } from '../../support/instance.ts';
import { NOBODY, refused } from '../../support/refusals.ts';
import { count, sharedPair } from '../support.ts';

const { instance, pair } = await sharedPair();

const TYPE = 'CREATE_USER_TAG';
const KEY = 'createUserTagResult';
const tagsOf = async (userId: string) => (await instance.root.query('get_user', { userId })).body.user.userTags;

test('a tag on users, shown with them at once', async () => {
  const a = await instance.newUser('A');
  const b = await instance.newUser('B');
  assert.deepEqual((await instance.root.query('get_user', { userId: a.userId })).body.user.userTags, []);
  const userIds = [b.userId, a.userId];
  const result = resultOf(await instance.root.submit(TYPE, { userTagName: 'Signers', userIds }), KEY);
  assert.deepEqual(result, { userTagId: result.userTagId, userIds });
  for (const { userId } of [a, b]) assert.deepEqual(await tagsOf(userId), [result.userTagId]);
  const { activity } = (await a.client.submit('CREATE_API_KEYS_V2', { userId: a.userId, apiKeys: [] })).body;
  assert.equal(activity, undefined);
  const answer = await instance.root.submit('DELETE_USER_TAGS', { userTagIds: [result.userTagId] });
  resultOf(answer, 'deleteUserTagsResult');
});

test('a tag on nobody, which new users may get', async () => {
  const { userTagId } = resultOf(await instance.root.submit(TYPE, { userTagName: 'Empty', userIds: [] }), KEY);
  const { userId } = await instance.newUser('Tagged', { userTags: [userTagId] });
  assert.deepEqual(await tagsOf(userId), [userTagId]);
});

test('policies see the tag in the very next request, and what waits is decided with it', async () => {
  const { userTagId } = resultOf(await instance.root.submit(TYPE, { userTagName: 'First', userIds: [] }), KEY);
  const allow = {
    policyName: 'tagged users make wallets',
    effect: 'EFFECT_ALLOW',
    condition: "activity.kind == 'CREATE_WALLET'",
    consensus: `approvers.any(user, user.tags.contains('${userTagId}'))`,
    notes: '',
  };
  resultOf(await instance.root.submit('CREATE_POLICY_V3', allow), 'createPolicyResult');
  const { client, userId } = await instance.newUser('Maker');
  const forbidden: [number, string, RegExp] = [403, 'REQUEST_NOT_AUTHORIZED', /sufficient permissions/];
  refused(await client.submit('CREATE_WALLET', { walletName: 'Before', accounts: [] }), forbidden);
  const change = { userTagId, addUserIds: [userId], removeUserIds: [] };
  resultOf(await instance.root.submit('UPDATE_USER_TAG', change), 'updateUserTagResult');
  resultOf(await client.submit('CREATE_WALLET', { walletName: 'With', accounts: [] }), 'createWalletResult');
  resultOf(await instance.root.submit('DELETE_USER_TAGS', { userTagIds: [userTagId] }), 'deleteUserTagsResult');
  refused(await client.submit('CREATE_WALLET', { walletName: 'After', accounts: [] }), forbidden);
});

test('a name is taken once in an organization', async () => {
  resultOf(await instance.root.submit(TYPE, { userTagName: 'Once', userIds: [] }), KEY);
  const answer = await instance.root.submit(TYPE, { userTagName: 'Once', userIds: [] });
  refused(answer, [400, 'REQUEST_INVALID', /user tag label must be unique/], 'parameters.userTagName');
  const sub = await instance.newSubOrganization('Once too', 1, 1);
  resultOf(await sub.clients[0]!.submit(TYPE, { userTagName: 'Once', userIds: [] }), KEY);
});

test('users that are not there, and another organization’s, leave no tag behind', async () => {
  const before = await count(instance.root, 'list_user_tags', 'userTags');
  for (const id of [NOBODY, pair.userIds[0]]) {
    const answer = await instance.root.submit(TYPE, { userTagName: 'None', userIds: [instance.credentials.userId, id] });
    refused(answer, [404, 'UNSPECIFIED', /user not found: parameters\.userIds names/]);
  }
  assert.equal(await count(instance.root, 'list_user_tags', 'userTags'), before);
});

test('as many as the setting says: fewer in a sub-organization', async () => {
  const few = await startInstance({ LIMIT_TAGS: '2', LIMIT_TAGS_OF_SUB_ORGANIZATION: '1' });
  try {
    const sub = await few.newSubOrganization('Sub', 1, 1);
    for (const [client, most, setting] of [
      [few.root, 2, /limit of 2 tags \(LIMIT_TAGS\)/],
      [sub.clients[0]!, 1, /limit of 1 tags \(LIMIT_TAGS_OF_SUB_ORGANIZATION\)/],
    ] as const) {
      for (let i = 0; i < most; i++) resultOf(await client.submit(TYPE, { userTagName: `tag ${i}`, userIds: [] }), KEY);
      refused(await client.submit(TYPE, { userTagName: 'more', userIds: [] }), [429, 'UNSPECIFIED', setting]);
    }
  } finally {
    await few.close();
  }
});
