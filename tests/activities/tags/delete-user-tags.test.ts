import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { resultOf } from '../../support/client.ts';
import { type Instance, startInstance } from '../../support/instance.ts';
import { agreed, count, newPair, type Pair, refused, refusedToNobody, refusesEach, waitsForBoth } from '../support.ts';

let instance: Instance;
let pair: Pair;
before(async () => {
  instance = await startInstance();
  pair = await newPair(instance, 'Pair');
});
after(() => instance.close());

const TYPE = 'DELETE_USER_TAGS';
const KEY = 'deleteUserTagsResult';
const NOBODY = '00000000-0000-7000-8000-000000000001';
let made = 0;

async function newTag(userIds: readonly string[] = []): Promise<string> {
  const parameters = { userTagName: `tag ${++made}`, userIds };
  return resultOf(await instance.root.submit('CREATE_USER_TAG', parameters), 'createUserTagResult').userTagId;
}
const tagsOf = async (userId: string) => (await instance.root.query('get_user', { userId })).body.user.userTags;

test('gone from everybody who had them, whose ids are the answer', async () => {
  const [a, b, c] = (await Promise.all(['A', 'B', 'C'].map((name) => instance.newUser(name)))).map((user) => user.userId);
  const [one, two, kept] = [await newTag([a!, b!]), await newTag([b!]), await newTag([a!, c!])];
  const result = resultOf(await instance.root.submit(TYPE, { userTagIds: [one, two] }), KEY);
  assert.deepEqual([result.userTagIds, result.userIds.toSorted()], [[one, two], [a, b].toSorted()]);
  assert.deepEqual(await Promise.all([a, b, c].map((id) => tagsOf(id!))), [[kept], [], [kept]]);
  assert.equal(await count(instance.root, 'list_user_tags', 'userTags'), 1);
});

test('a deleted tag’s name is free, and its id is nobody’s', async () => {
  const userTagId = await newTag();
  resultOf(await instance.root.submit(TYPE, { userTagIds: [userTagId] }), KEY);
  made--;
  assert.notEqual(await newTag(), userTagId);
});

test('all of them, or none', async () => {
  const { userId } = await instance.newUser('Keeps');
  const userTagId = await newTag([userId]);
  const theirs = await agreed(pair, 'CREATE_USER_TAG', { userTagName: 'Theirs', userIds: [] });
  for (const id of [NOBODY, resultOf(theirs, 'createUserTagResult').userTagId])
    refused(await instance.root.submit(TYPE, { userTagIds: [userTagId, id] }), [404, 'UNSPECIFIED', /user tag not found/]);
  assert.deepEqual(await tagsOf(userId), [userTagId]);
  assert.equal(await count(pair.parent, 'list_user_tags', 'userTags'), 1);
});

test('a user without permission is refused', async () => refusedToNobody(instance, TYPE, { userTagIds: [await newTag()] }));

test('bad parameters are named', () =>
  refusesEach(instance.root, TYPE, [
    [{}, 'parameters.userTagIds', /is required/],
    [{ userTagIds: [] }, 'parameters.userTagIds', /at least one tag/],
    [{ userTagIds: ['x'] }, 'parameters.userTagIds[0]', /must be a UUID/],
  ]));

test('waits for the second root user', async () => {
  const added = await agreed(pair, 'CREATE_USER_TAG', { userTagName: 'Waits', userIds: [pair.outsiderId] });
  const { userTagId } = resultOf(added, 'createUserTagResult');
  const result = await waitsForBoth(pair, TYPE, { userTagIds: [userTagId] }, KEY);
  assert.deepEqual(result.userIds, [pair.outsiderId]);
});
