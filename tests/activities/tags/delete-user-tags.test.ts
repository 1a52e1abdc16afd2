import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newTag } from '../../e2e/authority.ts';
import { resultOf } from '../../support/client.ts';
import { NOBODY, refused } from '../../support/refusals.ts';
import { agreed, count, sharedPair } from '../support.ts';

const { instance, pair } = await sharedPair();

const TYPE = 'DELETE_USER_TAGS';
const KEY = 'deleteUserTagsResult';
const tagsOf = async (userId: string) => (await instance.root.query('get_user', { userId })).body.user.userTags;

test('gone from everybody who had them, whose ids are the answer', async () => {
  const [a, b, c] = (await Promise.all(['A', 'B', 'C'].map((name) => instance.newUser(name)))).map((user) => user.userId);
  const [one, two, kept] = [
    await newTag(instance.root, [a!, b!]),
    await newTag(instance.root, [b!]),
    await newTag(instance.root, [a!, c!]),
  ];
  const result = resultOf(await instance.root.submit(TYPE, { userTagIds: [one, two] }), KEY);
  assert.deepEqual([result.userTagIds, result.userIds.toSorted()], [[one, two], [a, b].toSorted()]);
  assert.deepEqual(await Promise.all([a, b, c].map((id) => tagsOf(id!))), [[kept], [], [kept]]);
  assert.equal(await count(instance.root, 'list_user_tags', 'userTags'), 1);
});

test('a deleted tag’s name is free, and its id is nobody’s', async () => {
  const userTagId = await newTag(instance.root, [], 'Freed');
  resultOf(await instance.root.submit(TYPE, { userTagIds: [userTagId] }), KEY);
  assert.notEqual(await newTag(instance.root, [], 'Freed'), userTagId);
});

test('all of them, or none', async () => {
  const { userId } = await instance.newUser('Keeps');
  const userTagId = await newTag(instance.root, [userId]);
  const theirs = await agreed(pair, 'CREATE_USER_TAG', { userTagName: 'Theirs', userIds: [] });
  for (const id of [NOBODY, resultOf(theirs, 'createUserTagResult').userTagId])
    refused(await instance.root.submit(TYPE, { userTagIds: [userTagId, id] }), [404, 'UNSPECIFIED', /user tag not found/]);
  assert.deepEqual(await tagsOf(userId), [userTagId]);
  assert.equal(await count(pair.parent, 'list_user_tags', 'userTags'), 1);
});
