import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newKeyTag, newPrivateKey, newTag } from '../../e2e/authority.ts';
import { resultOf } from '../../support/client.ts';
import { NOBODY, refused } from '../../support/refusals.ts';
import { agreed, count, sharedPair } from '../support.ts';

const { instance, pair } = await sharedPair();
const { root } = instance;

const TYPE = 'DELETE_PRIVATE_KEY_TAGS';
const KEY = 'deletePrivateKeyTagsResult';
const tagsOf = async (privateKeyId: string) =>
  (await root.query('get_private_key', { privateKeyId })).body.privateKey.privateKeyTags;

test('taken off every key, whose other tags stay', async () => {
  const [a, b] = [await newPrivateKey(root), await newPrivateKey(root)];
  const [one, two, kept] = [await newKeyTag(root, [a]), await newKeyTag(root, [a, b]), await newKeyTag(root, [a])];
  const result = resultOf(await root.submit(TYPE, { privateKeyTagIds: [one, two] }), KEY);
  assert.deepEqual([result.privateKeyTagIds, result.privateKeyIds.toSorted()], [[one, two], [a, b].toSorted()]);
  assert.deepEqual([await tagsOf(a), await tagsOf(b)], [[kept], []]);
  assert.equal(await count(root, 'list_private_key_tags', 'privateKeyTags'), 1);
});

test('a deleted tag’s name is free, and its id is nobody’s', async () => {
  const tag = await newKeyTag(root, [], 'Freed');
  resultOf(await root.submit(TYPE, { privateKeyTagIds: [tag] }), KEY);
  assert.notEqual(await newKeyTag(root, [], 'Freed'), tag);
});

test('a key that is deleted loses its tags, and the tag stays', async () => {
  const key = await newPrivateKey(root);
  const tag = await newKeyTag(root, [key]);
  resultOf(
    await root.submit('DELETE_PRIVATE_KEYS', { privateKeyIds: [key], deleteWithoutExport: true }),
    'deletePrivateKeysResult',
  );
  assert.deepEqual(resultOf(await root.submit(TYPE, { privateKeyTagIds: [tag] }), KEY).privateKeyIds, []);
});

test('all of them, or none: unknown ones, another organization’s, and user tags', async () => {
  const key = await newPrivateKey(root);
  const tag = await newKeyTag(root, [key]);
  const theirs = await agreed(pair, 'CREATE_PRIVATE_KEY_TAG', { privateKeyTagName: 'Theirs', privateKeyIds: [] });
  for (const id of [NOBODY, resultOf(theirs, 'createPrivateKeyTagResult').privateKeyTagId, await newTag(root)])
    refused(await root.submit(TYPE, { privateKeyTagIds: [tag, id] }), [404, 'UNSPECIFIED', /private key tag not found/]);
  assert.deepEqual(await tagsOf(key), [tag]);
  assert.equal(await count(pair.parent, 'list_private_key_tags', 'privateKeyTags'), 1);
});
