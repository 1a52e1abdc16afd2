import assert from 'node:assert/strict';
import { test } from 'node:test';
import { activities } from '../../../src/activities/index.ts';
import { getActivity } from '../../../src/queries/activities/get-activity.ts';
import { resultOf } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';
import { refused } from '../../support/refusals.ts';
import { hidesOthers } from '../support.ts';

const instance = await sharedInstance();

const wallet = (walletName: string) => ({ walletName, accounts: [] });

test('a finished activity, a failed one and a waiting one', async () => {
  const done = (await instance.root.submit('CREATE_WALLET', wallet('A'))).body.activity;
  const got = (await instance.root.query('get_activity', { activityId: done.id })).body;
  assert.deepEqual(Object.keys(got), ['activity']);
  assert.deepEqual(getActivity.result.parse(got), got, 'the answer has its declared shape');
  assert.equal(got.activity.status, 'ACTIVITY_STATUS_COMPLETED');
  assert.equal('failure' in got.activity, false);
  assert.equal('timestampMs' in got.activity, false);
  assert.ok(!('activity' in got.activity.result));
  assert.match(got.activity.createdAt.seconds, /^\d{10}$/);

  const refused = await instance.root.submit('CREATE_WALLET', wallet('A'));
  assert.equal(refused.status, 400);
  const filter = { filterByStatus: ['ACTIVITY_STATUS_FAILED'] };
  const [{ id }] = (await instance.root.query('list_activities', filter)).body.activities;
  const failed = (await instance.root.query('get_activity', { activityId: id })).body.activity;
  assert.deepEqual(getActivity.result.parse({ activity: failed }), { activity: failed });
  assert.deepEqual(failed.failure, { code: 3, message: refused.body.message, details: refused.body.details });
  assert.deepEqual(failed.result, {});
  assert.deepEqual([failed.canApprove, failed.canReject], [false, false]);
  assert.ok(activities.some((kind) => kind.versions.has(failed.type)));

  const pair = await instance.newSubOrganization('Pair', 2, 2);
  const [first, second] = pair.clients;
  const waiting = (await first!.submit('CREATE_WALLET', wallet('A'))).body.activity;
  for (const [client, canApprove] of [
    [first!, false],
    [second!, true],
  ] as const) {
    const { activity } = (await client.query('get_activity', { activityId: waiting.id })).body;
    assert.equal(activity.status, 'ACTIVITY_STATUS_CONSENSUS_NEEDED');
    assert.equal(activity.canApprove, canApprove);
    assert.equal(activity.canReject, true);
  }
});

test('ids are compared in lower case', async () => {
  const { id } = (await instance.root.submit('CREATE_WALLET', wallet('Case'))).body.activity;
  const upper = { organizationId: instance.root.organizationId.toUpperCase(), activityId: id.toUpperCase() };
  assert.equal((await instance.root.query('get_activity', upper)).body.activity.id, id);
});

test('the parent reads it; the id alone, elsewhere, is nothing', async () => {
  const sub = await instance.newSubOrganization('Sub', 1, 1);
  const made = await sub.clients[0]!.submit('CREATE_WALLET', wallet('Theirs'));
  resultOf(made, 'createWalletResult');
  const { id } = made.body.activity;
  const parent = instance.root.as(instance.root.keys, sub.organizationId);
  assert.equal((await parent.query('get_activity', { activityId: id })).body.activity.id, id);
  await hidesOthers(instance.root, 'get_activity', 'activityId', id, /activity not found/);
  const own = (await instance.root.submit('CREATE_WALLET', wallet('Own'))).body.activity.id;
  await hidesOthers(sub.clients[0]!, 'get_activity', 'activityId', own, /activity not found/);
});

test('a user of a sub-organization may name the parent, and sees their own alone', async () => {
  const { clients, organizationId } = await instance.newSubOrganization('Below', 1, 1);
  const done = (await clients[0]!.submit('CREATE_WALLET', wallet('B'))).body.activity;
  const above = clients[0]!.as(clients[0]!.keys, instance.root.organizationId);
  const got = await above.query('get_activity', { activityId: done.id });
  assert.deepEqual([got.status, got.body.activity?.organizationId], [200, organizationId], got.text);
  assert.deepEqual(got.body, (await clients[0]!.query('get_activity', { activityId: done.id })).body);
  const theirs = (await instance.root.submit('CREATE_WALLET', wallet('Of the parent'))).body.activity;
  const other = await instance.newSubOrganization('Beside', 1, 1);
  const beside = (await other.clients[0]!.submit('CREATE_WALLET', wallet('B'))).body.activity;
  for (const { id } of [theirs, beside])
    refused(await above.query('get_activity', { activityId: id }), [404, 'UNSPECIFIED', /activity not found/]);
});
