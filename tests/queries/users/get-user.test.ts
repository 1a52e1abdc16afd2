import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getUser } from '../../../src/queries/users/get-user.ts';
import { sharedInstance } from '../../support/instance.ts';
import { hidesOthers } from '../support.ts';

const instance = await sharedInstance();

test('one user with keys and contacts', async () => {
  const { userId, keys, client } = await instance.newUser('Ada', { userEmail: 'a@b.c', userPhoneNumber: '+14155550100' });
  for (const asks of [instance.root, client]) {
    const { body } = await asks.query('get_user', { userId: userId.toUpperCase() });
    assert.deepEqual(getUser.result.parse(body), body, 'the answer has its declared shape');
    const { user } = body;
    assert.deepEqual(
      [user.userId, user.userName, user.userEmail, user.userPhoneNumber],
      [userId, 'Ada', 'a@b.c', '+14155550100'],
    );
    assert.equal(user.apiKeys[0].credential.publicKey, keys.publicKey);
    for (const list of ['authenticators', 'userTags', 'oauthProviders', 'mfaPolicies']) assert.deepEqual(user[list], []);
  }
});

test('the parent reads it; elsewhere it is nothing', async () => {
  const sub = await instance.newSubOrganization('Sub', 1, 1);
  const [userId] = sub.userIds;
  const parent = instance.root.as(instance.root.keys, sub.organizationId);
  assert.equal((await parent.query('get_user', { userId })).body.user.userId, userId);
  await hidesOthers(instance.root, 'get_user', 'userId', userId!, /user not found/);
  await hidesOthers(sub.clients[0]!, 'get_user', 'userId', instance.credentials.userId, /user not found/);
});
