import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listUsers } from '../../../src/queries/users/list-users.ts';
import { sharedInstance } from '../../support/instance.ts';

const instance = await sharedInstance();

test('all users in the order of their creation, each as get_user shows it', async () => {
  const made = [];
  for (const name of ['Ada', 'Bo', 'Cy']) made.push((await instance.newUser(name)).userId);
  const { body } = await instance.root.query('list_users');
  assert.deepEqual(listUsers.result.parse(body), body, 'the answer has its declared shape');
  assert.deepEqual(
    body.users.map((u: { userId: string }) => u.userId),
    [instance.credentials.userId, ...made],
  );
  for (const user of body.users) {
    assert.equal(user.apiKeys.length, 1);
    assert.deepEqual((await instance.root.query('get_user', { userId: user.userId })).body.user, user);
  }
});

test('each organization has its own, and the parent reads those of a sub-organization', async () => {
  const sub = await instance.newSubOrganization('Sub', 2, 1);
  const parent = instance.root.as(instance.root.keys, sub.organizationId);
  for (const client of [sub.clients[0]!, parent])
    assert.deepEqual(
      (await client.query('list_users')).body.users.map((u: { userId: string }) => u.userId),
      sub.userIds,
    );
});
