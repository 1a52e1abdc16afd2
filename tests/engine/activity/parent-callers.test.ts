import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { createUserTag } from '../../../src/activities/tags/create-user-tag.ts';
import type { ActivityKind } from '../../../src/engine/activity/declare.ts';
import { mayVote } from '../../activities/support.ts';
import { newPolicy, waitingIn } from '../../e2e/authority.ts';
import { type Answer, type Client, submitPath } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';
import { refused } from '../../support/refusals.ts';

/**
 * An activity that users of the parent may submit: theirs is the decision, and theirs are the votes. CREATE_USER_TAG stands for those that
 * a parent submits, so that nothing but who may submit it is special.
 */
const instance = await sharedInstance();
const TYPE = 'CREATE_USER_TAG';
const PATH = submitPath(TYPE);

let sub: { organizationId: string; clients: Client[]; userIds: string[] };
/** Users of the parent, naming the sub-organization. */
let root: Client;
let member: Client;
let memberId: string;
let second: Client;
let secondId: string;

const tag = (client: Client, userTagName: string): string => client.bodyOf(TYPE, { userTagName, userIds: [] });
const activityAs = async (client: Client, activityId: string) =>
  (await client.query('get_activity', { activityId })).body.activity;
const statusOf = (answer: Answer): string => answer.body.activity?.status ?? answer.text;

before(async () => {
  (createUserTag as { callers: ActivityKind['callers'] }).callers = 'parent';
  sub = await instance.newSubOrganization('Below', 1, 1);
  root = instance.root.as(instance.root.keys, sub.organizationId);
  const [one, two] = [await instance.newUser('Member'), await instance.newUser('Second')];
  [memberId, secondId] = [one.userId, two.userId];
  member = root.as(one.keys);
  second = root.as(two.keys);
});

test("the parent's root quorum decides, and the activity runs and is recorded in the sub-organization", async () => {
  const body = tag(root, 'by the root user');
  const done = await root.send(PATH, body);
  assert.equal(statusOf(done), 'ACTIVITY_STATUS_COMPLETED');
  const { activity } = done.body;
  assert.equal(activity.organizationId, sub.organizationId);
  assert.equal(activity.votes[0].user.userName, (await instance.root.query('whoami')).body.username);
  assert.deepEqual((await root.send(PATH, body)).body, done.body);
  const { userTags } = (await sub.clients[0]!.query('list_user_tags')).body;
  assert.deepEqual(
    userTags.map(({ tagName }: { tagName: string }) => tagName),
    ['by the root user'],
  );
  assert.equal((await instance.root.query('list_user_tags')).body.userTags.length, 0);
});

test("the sub-organization's policies have no say, and the parent's decide", async () => {
  const inSub = { condition: "activity.kind == 'CREATE_USER_TAG'", consensus: 'true' };
  await newPolicy(sub.clients[0]!, inSub);
  const body = tag(member, 'by a member');
  refused(await member.send(PATH, body), [403, 'REQUEST_NOT_AUTHORIZED', /No policies evaluated/]);
  refused(await member.send(PATH, body), [403, 'REQUEST_NOT_AUTHORIZED', /No policies evaluated/]);
  await newPolicy(instance.root, { ...inSub, consensus: `approvers.any(user, user.id == '${memberId}')` });
  assert.equal(statusOf(await member.send(PATH, tag(member, 'by a member'))), 'ACTIVITY_STATUS_COMPLETED');
  assert.equal(statusOf(await sub.clients[0]!.send(PATH, tag(sub.clients[0]!, 'own'))), 'ACTIVITY_STATUS_COMPLETED');
});

test("votes are the parent's users', and each is told what they may do", async () => {
  const both = `approvers.any(user, user.id == '${secondId}') && approvers.any(user, user.id == '${instance.credentials.userId}')`;
  const deny = await newPolicy(instance.root, {
    effect: 'EFFECT_ALLOW',
    condition: "activity.kind == 'CREATE_USER_TAG'",
    consensus: both,
  });
  const { id, fingerprint } = waitingIn(await second.send(PATH, tag(second, 'together')));
  const [own] = sub.clients as [Client];
  assert.deepEqual(await mayVote(second, id), [false, true]);
  assert.deepEqual(await mayVote(root, id), [true, true]);
  assert.deepEqual(await mayVote(own, id), [false, false]);
  refused(await own.submit('APPROVE_ACTIVITY', { fingerprint }), [403, 'REQUEST_NOT_AUTHORIZED', /users of the organization/]);
  refused(await own.submit('REJECT_ACTIVITY', { fingerprint }), [403, 'REQUEST_NOT_AUTHORIZED', /users of the organization/]);
  const seen = await activityAs(own, id);
  assert.deepEqual([seen.votes[0].userId, seen.votes[0].user.userName], [secondId, '']);
  const done = await root.submit('APPROVE_ACTIVITY', { fingerprint });
  assert.equal(statusOf(done), 'ACTIVITY_STATUS_COMPLETED');
  assert.deepEqual(
    done.body.activity.votes.map(({ user }: { user: { userId: string } }) => user.userId),
    [secondId, instance.credentials.userId],
  );
  await instance.root.submit('DELETE_POLICY', { policyId: deny });
});
