import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listUserTags } from '../../../src/queries/tags/list-user-tags.ts';
import { resultOf } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';

const instance = await sharedInstance();

const tag = (userTagName: string) => ({ userTagName, userIds: [] });

test('none at first; then all, in the order of creation', async () => {
  assert.deepEqual((await instance.root.query('list_user_tags')).body, { userTags: [] });
  const ids: string[] = [];
  for (const name of ['c', 'a', 'b'])
    ids.push(resultOf(await instance.root.submit('CREATE_USER_TAG', tag(name)), 'createUserTagResult').userTagId);
  const { body } = await instance.root.query('list_user_tags');
  assert.deepEqual(listUserTags.result.parse(body), body, 'the answer has its declared shape');
  assert.deepEqual(
    body.userTags.map(({ tagId, tagName, tagType }: Record<string, string>) => [tagId, tagName, tagType]),
    ids.map((id, i) => [id, 'cab'[i], 'TAG_TYPE_USER']),
  );
  for (const { createdAt, updatedAt } of body.userTags) assert.deepEqual(createdAt, updatedAt);
});

test('a renamed tag says when', async () => {
  const { userTagId } = resultOf(await instance.root.submit('CREATE_USER_TAG', tag('d')), 'createUserTagResult');
  instance.clock.advance(5000);
  const change = { userTagId, newUserTagName: 'e', addUserIds: [], removeUserIds: [] };
  resultOf(await instance.root.submit('UPDATE_USER_TAG', change), 'updateUserTagResult');
  const { userTags } = (await instance.root.query('list_user_tags')).body;
  const { tagName, createdAt, updatedAt } = userTags.at(-1);
  assert.equal(tagName, 'e');
  assert.ok(Number(updatedAt.seconds) - Number(createdAt.seconds) >= 5);
});

test('each organization’s own; the parent reads those of its sub-organizations', async () => {
  const sub = await instance.newSubOrganization('Sub', 1, 1);
  resultOf(await sub.clients[0]!.submit('CREATE_USER_TAG', tag('theirs')), 'createUserTagResult');
  const parent = instance.root.as(instance.root.keys, sub.organizationId);
  const { userTags } = (await parent.query('list_user_tags')).body;
  assert.deepEqual(
    userTags.map((t: { tagName: string }) => t.tagName),
    ['theirs'],
  );
});
