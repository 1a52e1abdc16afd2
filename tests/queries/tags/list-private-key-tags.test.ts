import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listPrivateKeyTags } from '../../../src/queries/tags/list-private-key-tags.ts';
import { newKeyTag, newTag } from '../../e2e/authority.ts';
import { resultOf } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';

const instance = await sharedInstance();
const { root } = instance;

test('none at first; then all, in the order of creation, without the user tags', async () => {
  await newTag(root);
  assert.deepEqual((await root.query('list_private_key_tags')).body, { privateKeyTags: [] });
  const ids: string[] = [];
  for (const name of ['c', 'a', 'b']) ids.push(await newKeyTag(root, [], name));
  const { body } = await root.query('list_private_key_tags');
  assert.deepEqual(listPrivateKeyTags.result.parse(body), body, 'the answer has its declared shape');
  assert.deepEqual(
    body.privateKeyTags.map(({ tagId, tagName, tagType }: Record<string, string>) => [tagId, tagName, tagType]),
    ids.map((id, i) => [id, 'cab'[i], 'TAG_TYPE_PRIVATE_KEY']),
  );
  const page = await root.query('list_private_key_tags', { paginationOptions: { limit: '1', after: ids[0] } });
  assert.deepEqual(
    page.body.privateKeyTags.map(({ tagId }: { tagId: string }) => tagId),
    [ids[1]],
  );
});

test('a renamed tag says when', async () => {
  const privateKeyTagId = await newKeyTag(root, [], 'd');
  instance.clock.advance(5000);
  const change = { privateKeyTagId, newPrivateKeyTagName: 'e', addPrivateKeyIds: [], removePrivateKeyIds: [] };
  resultOf(await root.submit('UPDATE_PRIVATE_KEY_TAG', change), 'updatePrivateKeyTagResult');
  const { tagName, createdAt, updatedAt } = (await root.query('list_private_key_tags')).body.privateKeyTags.at(-1);
  assert.equal(tagName, 'e');
  assert.ok(Number(updatedAt.seconds) - Number(createdAt.seconds) >= 5);
});

test('each organization’s own; the parent reads those of its sub-organizations', async () => {
  const sub = await instance.newSubOrganization('Sub', 1, 1);
  await newKeyTag(sub.clients[0]!, [], 'theirs');
  const { privateKeyTags } = (await root.as(root.keys, sub.organizationId).query('list_private_key_tags')).body;
  assert.deepEqual(
    privateKeyTags.map((tag: { tagName: string }) => tag.tagName),
    ['theirs'],
  );
});
