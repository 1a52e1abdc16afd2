import assert from 'node:assert/strict';
import { test } from 'node:test';
import { apiKey, newKeys, resultOf, userWith } from '../../support/client.ts';
import { NOBODY, refused, refusesEach } from '../../support/refusals.ts';
import { refusedToNobody, sharedPair } from '../support.ts';
import { marksOf, newToken } from '../tokens.ts';

const { instance, pair } = await sharedPair();

const TYPE = 'UPDATE_USER';
const KEY = 'updateUserResult';
const { root } = instance;
const shown = async (userId: string) => (await root.query('get_user', { userId })).body.user;
const update = (userId: string, change: object) => root.submit(TYPE, { userId, ...change });
const tagged = async (name: string) =>
  resultOf(await root.submit('CREATE_USER_TAG', { userTagName: name, userIds: [] }), 'createUserTagResult').userTagId as string;

test('given fields change, in their own shape; omitted fields stay as they are', async () => {
  const { client, userId } = await instance.newUser('Before', { userEmail: 'Before@Example.com' });
  const tag = await tagged('One');
  const before = await shown(userId);
  const change = { userName: 'After', userEmail: 'After@Example.com', userTagIds: [tag], userPhoneNumber: '+1 415-555-0100' };
  const answer = await update(userId, change);
  assert.deepEqual(resultOf(answer, KEY), { userId });
  assert.deepEqual(answer.body.activity.intent, { updateUserIntent: { userId, ...change } });
  const after = await shown(userId);
  const contacts = { userEmail: 'After@Example.com', userPhoneNumber: '+14155550100' };
  assert.deepEqual(after, { ...before, userName: 'After', userTags: [tag], ...contacts, updatedAt: after.updatedAt });
  for (const [changed, name] of [
    [{ userName: 'Only this' }, 'Only this'],
    [{}, 'Only this'],
  ] as const) {
    resultOf(await update(userId, changed), KEY);
    const now = await shown(userId);
    assert.deepEqual(now, { ...after, userName: name, updatedAt: now.updatedAt });
  }
  assert.equal((await client.query('whoami')).body.username, 'Only this');
});

test('empty texts remove contacts, and an empty list all tags', async () => {
  const [one, two] = [await tagged('First of two'), await tagged('Second of two')];
  const { userId } = await instance.newUser('Full', { userEmail: 'a@b.c', userPhoneNumber: '+14155550100', userTags: [one] });
  resultOf(await update(userId, { userTagIds: [two, two] }), KEY);
  assert.deepEqual((await shown(userId)).userTags, [two]);
  resultOf(await update(userId, { userEmail: '', userPhoneNumber: '', userTagIds: [] }), KEY);
  const now = await shown(userId);
  assert.deepEqual([now.userTags, 'userEmail' in now, 'userPhoneNumber' in now], [[], false, false]);
});

test('a tag that is not there is refused, and nothing else of it is done', async () => {
  const { userId } = await instance.newUser('Stays');
  const before = await shown(userId);
  refused(await update(userId, { userName: 'Lost', userTagIds: [NOBODY] }), [
    404,
    'UNSPECIFIED',
    /tag not found: parameters.userTagIds/,
  ]);
  assert.deepEqual(await shown(userId), before);
});

test('another contact is not verified; the same one in other letters stays so', async () => {
  const { userId } = await instance.newUser('Verified');
  const email = newToken(instance, 'Ada@Example.com', newKeys()).jwt;
  const phone = newToken(instance, '+14155550100', newKeys()).jwt;
  const parameters = { userId, userEmail: 'Ada@Example.com', verificationToken: email };
  resultOf(await root.submit('UPDATE_USER_EMAIL', parameters), 'updateUserEmailResult');
  const number = { userId, userPhoneNumber: '+14155550100', verificationToken: phone };
  resultOf(await root.submit('UPDATE_USER_PHONE_NUMBER', number), 'updateUserPhoneNumberResult');
  const marks = async () => {
    const { email, phone } = await marksOf(instance, userId);
    return [email, phone];
  };
  assert.deepEqual(await marks(), [true, true]);
  resultOf(await update(userId, { userEmail: 'ADA@example.com', userPhoneNumber: '+1 (415) 555-0100', userName: 'Same' }), KEY);
  assert.deepEqual(await marks(), [true, true]);
  assert.equal((await shown(userId)).userEmail, 'ADA@example.com');
  resultOf(await update(userId, { userEmail: 'other@example.com' }), KEY);
  assert.deepEqual(await marks(), [false, true]);
  resultOf(await update(userId, { userPhoneNumber: '' }), KEY);
  resultOf(await update(userId, { userPhoneNumber: '+14155550100' }), KEY);
  assert.deepEqual(await marks(), [false, false]);
});

test('the last way in is not removed; one may be exchanged for another', async () => {
  const { clients } = await instance.newSubOrganization('Ways in', 1, 1);
  const users = [{ ...userWith('Mail', []), userTags: [], userEmail: 'a@b.c' }];
  const [userId] = resultOf(await clients[0]!.submit('CREATE_USERS_V4', { users }), 'createUsersResult').userIds;
  const change = (changed: object) => clients[0]!.submit(TYPE, { userId, ...changed });
  const lacking: [number, string, RegExp] = [400, 'REQUEST_INVALID', /at least one valid credential/];
  refused(await change({ userEmail: '' }), lacking, 'parameters.userEmail');
  resultOf(await change({ userEmail: '', userPhoneNumber: '+14155550100' }), KEY);
  refused(await change({ userPhoneNumber: '' }), lacking, 'parameters.userPhoneNumber');
  resultOf(await change({ userEmail: 'd@e.f', userPhoneNumber: '' }), KEY);
  resultOf(await clients[0]!.submit('CREATE_API_KEYS_V2', { userId, apiKeys: [apiKey(newKeys())] }), 'createApiKeysResult');
  resultOf(await change({ userEmail: '' }), KEY);
});

test('each vote shows the user as they were then', async () => {
  const { userId } = instance.credentials;
  const { userName } = await shown(userId);
  const ids: string[] = [];
  for (const change of [{ userEmail: 'root@example.com' }, { userName: 'Other' }, { userName, userEmail: '' }])
    ids.push((await update(userId, change)).body.activity.id);
  const voters = await Promise.all(
    ids.map(async (activityId) => (await root.query('get_activity', { activityId })).body.activity.votes[0].user),
  );
  assert.deepEqual(
    voters.map((voter) => [voter.userName, voter.userEmail]),
    [
      [userName, undefined],
      [userName, 'root@example.com'],
      ['Other', 'root@example.com'],
    ],
  );
});

test('an unknown user, and a user of another organization', async () => {
  for (const id of [NOBODY, pair.outsiderId])
    refused(await update(id, { userName: 'Mine' }), [
      404,
      'UNSPECIFIED',
      new RegExp(`user not found: parameters.userId names ${id}`),
    ]);
});

test('a user without permission is refused, for themselves too', async () => {
  const { client, userId } = await instance.newUser('Plain');
  await refusedToNobody(instance, TYPE, { userId, userName: 'Forbidden' });
  refused(await client.submit(TYPE, { userId, userName: 'Mine' }), [403, 'REQUEST_NOT_AUTHORIZED', /sufficient permissions/]);
});

test('bad parameters are named', () =>
  refusesEach(root, TYPE, [
    [{ userId: NOBODY, userEmail: 'a@b@c' }, 'parameters.userEmail', /invalid email address/, 'INVALID_EMAIL'],
    [{ userId: NOBODY, userPhoneNumber: '5550100' }, 'parameters.userPhoneNumber', /E\.164/],
  ]));
