import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newTag } from '../../e2e/authority.ts';
import { resultOf } from '../../support/client.ts';
import { NOBODY, refused } from '../../support/refusals.ts';
import { agreed, sharedPair } from '../support.ts';

const { instance, pair } = await sharedPair();

const TYPE = 'UPDATE_USER_TAG';
const KEY = 'updateUserTagResult';
const tagsOf = async (userId: string) => (await instance.root.query('get_user', { userId })).body.user.userTags;
const nameOf = async (userTagId: string) =>
  (await instance.root.query('list_user_tags')).body.userTags.find((tag: { tagId: string }) => tag.tagId === userTagId).tagName;

test('renamed, put on some and taken off others, in one go', async () => {
  const [a, b, c] = await Promise.all(['A', 'B', 'C'].map((name) => instance.newUser(name)));
  const userTagId = await newTag(instance.root, [a!.userId, b!.userId]);
  const change = { userTagId, newUserTagName: 'Renamed', addUserIds: [c!.userId, b!.userId], removeUserIds: [a!.userId] };
  assert.deepEqual(resultOf(await instance.root.submit(TYPE, change), KEY), { userTagId });
  assert.equal(await nameOf(userTagId), 'Renamed');
  assert.deepEqual(await Promise.all([a, b, c].map((user) => tagsOf(user!.userId))), [[], [userTagId], [userTagId]]);
});

test('without a new name it keeps its own; taking it off who does not have it changes nothing', async () => {
  const { userId } = await instance.newUser('D');
  const userTagId = await newTag(instance.root);
  const name = await nameOf(userTagId);
  resultOf(await instance.root.submit(TYPE, { userTagId, addUserIds: [], removeUserIds: [userId] }), KEY);
  assert.equal(await nameOf(userTagId), name);
  const same = { userTagId, newUserTagName: name, addUserIds: [userId, userId], removeUserIds: [] };
  resultOf(await instance.root.submit(TYPE, same), KEY);
  assert.deepEqual(await tagsOf(userId), [userTagId]);
});

test('a name that another tag has is refused, and nothing else is done', async () => {
  const { userId } = await instance.newUser('E');
  const [userTagId, other] = [await newTag(instance.root), await newTag(instance.root)];
  const change = { userTagId, newUserTagName: await nameOf(other), addUserIds: [userId], removeUserIds: [] };
  const answer = await instance.root.submit(TYPE, change);
  refused(answer, [400, 'REQUEST_INVALID', /user tag label must be unique/], 'parameters.newUserTagName');
  assert.deepEqual(await tagsOf(userId), []);
});

test('two tags that take the same name at the same instant: one does', async () => {
  for (let round = 0; round < 5; round++) {
    const two = await Promise.all([newTag(instance.root), newTag(instance.root)]);
    const answers = await Promise.all(
      two.map((userTagId) =>
        instance.root.submit(TYPE, { userTagId, newUserTagName: `contested ${round}`, addUserIds: [], removeUserIds: [] }),
      ),
    );
    assert.deepEqual(answers.map((answer) => answer.status).toSorted(), [200, 400], answers.map((a) => a.text).join('\n'));
  }
});

test('a user to be added and removed', async () => {
  const { userId } = instance.credentials;
  const answer = await instance.root.submit(TYPE, {
    userTagId: await newTag(instance.root),
    addUserIds: [userId],
    removeUserIds: [userId],
  });
  refused(answer, [400, 'REQUEST_INVALID', /addUserIds also names/], 'parameters.removeUserIds');
});

test('tags and users that are not there, and another organization’s', async () => {
  const userTagId = await newTag(instance.root);
  const theirs = await agreed(pair, 'CREATE_USER_TAG', { userTagName: 'Theirs', userIds: [] });
  const none = { addUserIds: [], removeUserIds: [] };
  for (const id of [NOBODY, resultOf(theirs, 'createUserTagResult').userTagId])
    refused(await instance.root.submit(TYPE, { userTagId: id, ...none }), [404, 'UNSPECIFIED', /user tag not found/]);
  for (const id of [NOBODY, pair.outsiderId])
    for (const field of ['addUserIds', 'removeUserIds']) {
      const wanted: [number, string, RegExp] = [404, 'UNSPECIFIED', new RegExp(`user not found: parameters\\.${field}`)];
      refused(await instance.root.submit(TYPE, { userTagId, ...none, [field]: [id] }), wanted);
    }
});
