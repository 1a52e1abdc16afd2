import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newKeyTag, newPolicy, newPrivateKey, newTag, newWallet, signing } from '../../e2e/authority.ts';
import { resultOf } from '../../support/client.ts';
import { sharedInstance, startInstance } from '../../support/instance.ts';
import { NOBODY, refused, refusesEach } from '../../support/refusals.ts';
import { count } from '../support.ts';

const instance = await sharedInstance();
const { root } = instance;

const TYPE = 'CREATE_PRIVATE_KEY_TAG';
const KEY = 'createPrivateKeyTagResult';
const tagsOf = async (privateKeyId: string) =>
  (await root.query('get_private_key', { privateKeyId })).body.privateKey.privateKeyTags;

test('a tag on private keys, shown with them at once', async () => {
  const [a, b] = [await newPrivateKey(root), await newPrivateKey(root)];
  assert.deepEqual(await tagsOf(a), []);
  const privateKeyIds = [b, a];
  const result = resultOf(await root.submit(TYPE, { privateKeyTagName: 'Trading', privateKeyIds }), KEY);
  assert.deepEqual(result, { privateKeyTagId: result.privateKeyTagId, privateKeyIds });
  for (const id of privateKeyIds) assert.deepEqual(await tagsOf(id), [result.privateKeyTagId]);
  const { privateKeys } = (await root.query('list_private_keys')).body;
  for (const { privateKeyTags } of privateKeys) assert.deepEqual(privateKeyTags, [result.privateKeyTagId]);
});

test('a tag on nothing, which new keys may get', async () => {
  const tag = await newKeyTag(root);
  assert.deepEqual(await tagsOf(await newPrivateKey(root, [tag])), [tag]);
});

test('a policy lets a user sign with tagged keys: in the very next request, and no longer than they have the tag', async () => {
  const { client, userId } = await instance.newUser('Trader');
  const [tagged, other] = [await newPrivateKey(root), await newPrivateKey(root)];
  const wallet = await newWallet(root);
  const tag = await newKeyTag(root);
  await newPolicy(root, {
    condition: `activity.action == 'SIGN' && private_key.tags.contains('${tag}')`,
    consensus: `approvers.any(user, user.id == '${userId}')`,
  });
  const forbidden: [number, string, RegExp] = [403, 'REQUEST_NOT_AUTHORIZED', /sufficient permissions/];
  const sign = (signWith: string) => client.submit('SIGN_RAW_PAYLOAD_V2', signing(signWith));
  refused(await sign(tagged), forbidden);
  const change = { privateKeyTagId: tag, addPrivateKeyIds: [tagged], removePrivateKeyIds: [] };
  resultOf(await root.submit('UPDATE_PRIVATE_KEY_TAG', change), 'updatePrivateKeyTagResult');
  assert.equal((await sign(tagged)).status, 200);
  refused(await sign(other), forbidden);
  refused(await sign(wallet.addresses[0]!), forbidden);
  resultOf(await root.submit('DELETE_PRIVATE_KEY_TAGS', { privateKeyTagIds: [tag] }), 'deletePrivateKeyTagsResult');
  refused(await sign(tagged), forbidden);
});

test('a name is taken once among the private key tags of an organization', async () => {
  await newKeyTag(root, [], 'Once');
  const answer = await root.submit(TYPE, { privateKeyTagName: 'Once', privateKeyIds: [] });
  refused(answer, [400, 'REQUEST_INVALID', /private key tag label must be unique/], 'parameters.privateKeyTagName');
  await newTag(root, [], 'Once');
  const sub = await instance.newSubOrganization('Once too', 1, 1);
  await newKeyTag(sub.clients[0]!, [], 'Once');
});

test('keys that are not there, another organization’s, and users leave no tag behind', async () => {
  const sub = await instance.newSubOrganization('Other', 1, 1);
  const theirs = await newPrivateKey(sub.clients[0]!);
  const mine = await newPrivateKey(root);
  const before = await count(root, 'list_private_key_tags', 'privateKeyTags');
  for (const id of [NOBODY, theirs, instance.credentials.userId]) {
    const answer = await root.submit(TYPE, { privateKeyTagName: 'None', privateKeyIds: [mine, id] });
    refused(answer, [404, 'UNSPECIFIED', /private key not found: parameters\.privateKeyIds names/]);
  }
  assert.equal(await count(root, 'list_private_key_tags', 'privateKeyTags'), before);
  assert.deepEqual(await tagsOf(mine), []);
});

test('both kinds of tags share a limit: fewer in a sub-organization', async () => {
  const few = await startInstance({ LIMIT_TAGS: '2', LIMIT_TAGS_OF_SUB_ORGANIZATION: '1' });
  try {
    const sub = await few.newSubOrganization('Sub', 1, 1);
    await newTag(few.root);
    for (const [client, setting] of [
      [few.root, /limit of 2 tags \(LIMIT_TAGS\)/],
      [sub.clients[0]!, /limit of 1 tags \(LIMIT_TAGS_OF_SUB_ORGANIZATION\)/],
    ] as const) {
      await newKeyTag(client);
      refused(await client.submit(TYPE, { privateKeyTagName: 'more', privateKeyIds: [] }), [429, 'UNSPECIFIED', setting]);
    }
  } finally {
    await few.close();
  }
});

test('two requests at once do not pass the limit together', async () => {
  const few = await startInstance({ LIMIT_TAGS: '3' });
  try {
    const make = (i: number) =>
      i % 2 === 0
        ? few.root.submit(TYPE, { privateKeyTagName: `tag ${i}`, privateKeyIds: [] })
        : few.root.submit('CREATE_USER_TAG', { userTagName: `tag ${i}`, userIds: [] });
    const answers = await Promise.all(Array.from({ length: 8 }, (_, i) => make(i)));
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 200, 200, 429, 429, 429, 429, 429]);
  } finally {
    await few.close();
  }
});

test('bad parameters are named', () =>
  refusesEach(root, TYPE, [
    [{ privateKeyTagName: 'a', privateKeyIds: Array(1001).fill(NOBODY) }, 'parameters.privateKeyIds', /1000/],
  ]));
