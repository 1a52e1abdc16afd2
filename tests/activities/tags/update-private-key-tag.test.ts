import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newKeyTag, newPrivateKey, newTag } from '../../e2e/authority.ts';
import { resultOf } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';
import { NOBODY, refused } from '../../support/refusals.ts';

const instance = await sharedInstance();
const { root } = instance;

const TYPE = 'UPDATE_PRIVATE_KEY_TAG';
const KEY = 'updatePrivateKeyTagResult';
const tagsOf = async (privateKeyId: string) =>
  (await root.query('get_private_key', { privateKeyId })).body.privateKey.privateKeyTags;
const nameOf = async (id: string) =>
  (await root.query('list_private_key_tags')).body.privateKeyTags.find((tag: { tagId: string }) => tag.tagId === id).tagName;

test('renamed, put on some and taken off others, in one go', async () => {
  const [a, b, c] = [await newPrivateKey(root), await newPrivateKey(root), await newPrivateKey(root)];
  const tag = await newKeyTag(root, [a, b]);
  const change = {
    privateKeyTagId: tag,
    newPrivateKeyTagName: 'Renamed',
    addPrivateKeyIds: [c, b],
    removePrivateKeyIds: [a],
  };
  assert.deepEqual(resultOf(await root.submit(TYPE, change), KEY), { privateKeyTagId: tag });
  assert.equal(await nameOf(tag), 'Renamed');
  assert.deepEqual([await tagsOf(a), await tagsOf(b), await tagsOf(c)], [[], [tag], [tag]]);
});

test('without a new name it keeps its own; taking it off a key that does not have it changes nothing', async () => {
  const key = await newPrivateKey(root);
  const tag = await newKeyTag(root);
  const name = await nameOf(tag);
  resultOf(await root.submit(TYPE, { privateKeyTagId: tag, addPrivateKeyIds: [], removePrivateKeyIds: [key] }), KEY);
  assert.equal(await nameOf(tag), name);
  const same = { privateKeyTagId: tag, newPrivateKeyTagName: name, addPrivateKeyIds: [key, key], removePrivateKeyIds: [] };
  resultOf(await root.submit(TYPE, same), KEY);
  assert.deepEqual(await tagsOf(key), [tag]);
});

test('a name that another tag has is refused, and nothing else is done', async () => {
  const key = await newPrivateKey(root);
  const [tag, other] = [await newKeyTag(root), await newKeyTag(root)];
  const change = {
    privateKeyTagId: tag,
    newPrivateKeyTagName: await nameOf(other),
    addPrivateKeyIds: [key],
    removePrivateKeyIds: [],
  };
  const wanted: [number, string, RegExp] = [400, 'REQUEST_INVALID', /private key tag label must be unique/];
  refused(await root.submit(TYPE, change), wanted, 'parameters.newPrivateKeyTagName');
  assert.deepEqual(await tagsOf(key), []);
});

test('a key to be added and removed', async () => {
  const key = await newPrivateKey(root);
  const change = { privateKeyTagId: await newKeyTag(root), addPrivateKeyIds: [key], removePrivateKeyIds: [key] };
  const wanted: [number, string, RegExp] = [400, 'REQUEST_INVALID', /addPrivateKeyIds also names/];
  refused(await root.submit(TYPE, change), wanted, 'parameters.removePrivateKeyIds');
});

test('tags and keys that are not there, another organization’s, and user tags', async () => {
  const tag = await newKeyTag(root);
  const sub = await instance.newSubOrganization('Other', 1, 1);
  const none = { addPrivateKeyIds: [], removePrivateKeyIds: [] };
  for (const id of [NOBODY, await newKeyTag(sub.clients[0]!), await newTag(root)])
    refused(await root.submit(TYPE, { privateKeyTagId: id, ...none }), [404, 'UNSPECIFIED', /private key tag not found/]);
  const theirs = await newPrivateKey(sub.clients[0]!);
  for (const id of [NOBODY, theirs, instance.credentials.userId])
    for (const field of ['addPrivateKeyIds', 'removePrivateKeyIds']) {
      const wanted: [number, string, RegExp] = [404, 'UNSPECIFIED', new RegExp(`private key not found: parameters\\.${field}`)];
      refused(await root.submit(TYPE, { privateKeyTagId: tag, ...none, [field]: [id] }), wanted);
    }
});
