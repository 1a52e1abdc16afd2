import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { approvedBy, newPolicy, waitingIn } from '../../e2e/authority.ts';
import type { Client } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';
import { refused } from '../../support/refusals.ts';
import { COMPLETED, PATH, type ParentWorld, parentWorld, statusOf, TYPE, tag } from './parent-world.ts';

/** A sub-organization may not read the users and policies of its parent. */

const instance = await sharedInstance();
let world: ParentWorld;
before(async () => {
  world = await parentWorld(instance);
});

const activityAs = async (client: Client, activityId: string) =>
  (await client.query('get_activity', { activityId })).body.activity;
const evaluationsAs = async (client: Client, activityId: string) =>
  (await client.query('get_policy_evaluations', { activityId })).body.policyEvaluations;

test("an activity shows the parent's voters to the parent, and only their ids to the sub-organization", async () => {
  const { root, own, second, secondId, permitted } = world;
  const id = await permitted(`${approvedBy(secondId)} && approvers.count() > 1`, async () => {
    const waiting = waitingIn(await second.send(PATH, tag(second, 'shown')));
    assert.equal(statusOf(await root.submit('APPROVE_ACTIVITY', { fingerprint: waiting.fingerprint })), COMPLETED);
    return waiting.id as string;
  });
  const names = (activity: { votes: { user: { userName: string } }[] }) => activity.votes.map(({ user }) => user.userName);
  const above = await activityAs(root, id);
  assert.deepEqual(names(above), ['Second', (await instance.root.query('whoami')).body.username]);
  const below = await activityAs(own, id);
  assert.deepEqual(names(below), ['', '']);
  assert.deepEqual(
    below.votes.map(({ userId, user }: { userId: string; user: { apiKeys: unknown[] } }) => [userId, user.apiKeys]),
    above.votes.map(({ userId }: { userId: string }) => [userId, []]),
  );
  assert.deepEqual(
    below.votes.map(({ message, signature }: { message: string; signature: string }) => [message, signature]),
    above.votes.map(({ message, signature }: { message: string; signature: string }) => [message, signature]),
    'the stamps stay there to be verified',
  );
  const { activities } = (await own.query('list_activities')).body;
  assert.deepEqual(names(activities.find((one: { id: string }) => one.id === id)), ['', '']);
});

test("a refusal shows the parent's policies to the parent alone", async () => {
  const { member, own, root } = world;
  const deny = { effect: 'EFFECT_DENY', condition: `activity.kind == '${TYPE}'`, consensus: 'true' } as const;
  const policyId = await newPolicy(instance.root, deny);
  const answer = await member.send(PATH, tag(member, 'denied'));
  refused(answer, [403, 'REQUEST_NOT_AUTHORIZED', new RegExp(policyId)]);
  const { activityId } = answer.body.details.at(-1);
  const above = await activityAs(root, activityId);
  assert.match(above.failure.message, new RegExp(policyId));
  const below = await activityAs(own, activityId);
  assert.deepEqual([below.failure.code, below.failure.message], [7, 'request not authorized']);
  assert.ok(!JSON.stringify(below).includes(policyId));
  const [evaluation] = await evaluationsAs(root, activityId);
  assert.deepEqual(
    evaluation.policyEvaluations.map((one: { policyId: string; outcome: string; effect: string }) => [one.policyId, one.outcome]),
    [[policyId, 'OUTCOME_DENY_EXPLICIT']],
  );
  assert.ok(evaluation.policyEvaluations[0].values, 'it is explained by what the parent’s policies saw');
  assert.deepEqual(await evaluationsAs(own, activityId), []);
  await instance.root.submit('DELETE_POLICY', { policyId });
});

test('a simulation asks the organization that would decide', async () => {
  const { member, memberId, own, sub, permitted } = world;
  const asked = { type: `ACTIVITY_TYPE_${TYPE}`, parameters: { userTagName: 'x', userIds: [] } };
  const outcome = async (client: Client, more: object = {}) =>
    (await client.query('simulate_activity', { ...asked, ...more })).body.outcome ?? 'none';
  assert.equal(await outcome(member), 'OUTCOME_DENY_IMPLICIT');
  await permitted(approvedBy(memberId), async () => {
    assert.equal(await outcome(member), 'OUTCOME_ALLOW');
    assert.equal(await outcome(member, { approverUserIds: [memberId] }), 'OUTCOME_ALLOW');
    assert.equal(await outcome(member, { approverUserIds: [sub.userIds[0]] }), 'OUTCOME_ALLOW', 'its own root user');
    assert.equal(await outcome(own), 'OUTCOME_ALLOW');
    const { body, text } = await own.query('simulate_activity', { ...asked, approverUserIds: [memberId] });
    assert.match(body.message, /user not found/, text);
  });
});

test('a replay of a policy passes over what others decided', async () => {
  const { root, own } = world;
  const { organizationId, clients } = await instance.newSubOrganization('Replayed', 1, 1);
  const parent = root.as(root.keys, organizationId);
  assert.equal(statusOf(await parent.send(PATH, tag(parent, 'by the parent'))), COMPLETED);
  const draft = { effect: 'EFFECT_DENY', condition: `activity.kind == '${TYPE}'`, consensus: 'true' };
  const { body } = await clients[0]!.query('replay_policy', draft);
  assert.deepEqual([body.examined, body.activities], [1, []]);
  assert.notEqual(own.organizationId, organizationId);
});

test('the parent reads the record of a sub-organization that was deleted', async () => {
  const { organizationId, clients } = await instance.newSubOrganization('Deleted', 1, 1);
  const parent = instance.root.as(instance.root.keys, organizationId);
  const [above, below] = [
    (await parent.send(PATH, tag(parent, 'by the parent'))).body.activity,
    (await clients[0]!.send(PATH, tag(clients[0]!, 'its own'))).body.activity,
  ];
  assert.equal(statusOf(await clients[0]!.submit('DELETE_SUB_ORGANIZATION', { deleteWithoutExport: true })), COMPLETED);
  for (const before of [above, below]) {
    const after = await activityAs(parent, before.id);
    assert.deepEqual(after.votes, before.votes);
  }
});
