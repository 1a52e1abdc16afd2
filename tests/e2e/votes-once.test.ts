import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Client, ethereumAccount, submitPath } from '../support/client.ts';
import { sharedInstance } from '../support/instance.ts';
import { activityOf, waitingIn } from './authority.ts';

const instance = await sharedInstance();

test('a user votes once, however often the same vote arrives at once', async () => {
  const { clients, userIds } = await instance.newSubOrganization('Once', 3, 3);
  const [first, second, third] = clients as [Client, Client, Client];
  const approve = submitPath('APPROVE_ACTIVITY');
  const voters = async (id: string) => (await activityOf(first, id)).votes.map((vote: { userId: string }) => vote.userId);
  const wallet = first.bodyOf('CREATE_WALLET', { walletName: 'One', accounts: [ethereumAccount()] });
  const { id, fingerprint } = waitingIn(await first.send(submitPath('CREATE_WALLET'), wallet));

  // The same stamp, the submitter's too.
  for (const client of [first, second, second])
    assert.equal((await client.send(submitPath('CREATE_WALLET'), wallet)).status, 200);
  const vote = second.bodyOf('APPROVE_ACTIVITY', { fingerprint });
  await Promise.all([1, 2, 3, 4].map(() => second.send(approve, vote)));
  assert.deepEqual(await voters(id), userIds.slice(0, 2));

  // The vote's own record: who has voted already stamps the bytes of another, which changes nothing but that record.
  const { activities } = (await first.query('list_activities', { filterByType: ['ACTIVITY_TYPE_APPROVE_ACTIVITY'] })).body;
  assert.equal(activities.length, 1);
  const answers = await Promise.all([1, 2, 3, 4, 5, 6].map(() => first.send(approve, vote)));
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
  assert.deepEqual(await voters(activities[0].id), [userIds[1], userIds[0]]);
  assert.deepEqual(await voters(id), userIds.slice(0, 2));
  await Promise.all([1, 2, 3].map(() => third.send(approve, vote)));
  assert.deepEqual(await voters(id), userIds);
  assert.equal((await activityOf(first, id)).status, 'ACTIVITY_STATUS_COMPLETED');
});
