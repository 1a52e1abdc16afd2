import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { createUserTag } from '../../../src/activities/tags/create-user-tag.ts';
import type { Caller } from '../../../src/engine/context.ts';
import { mayVote } from '../../activities/support.ts';
import { approvedBy, waitingIn } from '../../e2e/authority.ts';
import { apiKey, newKeys, resultOf, submitPath } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';
import { refused } from '../../support/refusals.ts';
import { COMPLETED, PATH, type ParentWorld, parentWorld, statusOf, tag } from './parent-world.ts';

const instance = await sharedInstance();
let world: ParentWorld;
/** Consensus: the second user, and the root user. */
let both: string;
before(async () => {
  world = await parentWorld(instance);
  both = `${approvedBy(world.secondId)} && ${approvedBy(instance.credentials.userId)}`;
});

type Execute = typeof createUserTag.execute;
const FOR_OTHERS = [403, 'REQUEST_NOT_AUTHORIZED', /users of the organization [0-9a-f-]+ vote/] as [number, string, RegExp];
const MISMATCH = [400, 'ORGANIZATION_MISMATCH', /voters are in organization/] as [number, string, RegExp];

const votesOn = async (id: string): Promise<number> =>
  (await world.root.query('get_activity', { activityId: id })).body.activity.votes.length;

test("votes are the parent's users', and each is told what they may do", async () => {
  const { root, second, own, secondId, permitted } = world;
  await permitted(both, async () => {
    const { id, fingerprint } = waitingIn(await second.send(PATH, tag(second, 'together')));
    assert.deepEqual(await mayVote(second, id), [false, true]);
    assert.deepEqual(await mayVote(root, id), [true, true]);
    assert.deepEqual(await mayVote(own, id), [false, false]);
    refused(await own.submit('APPROVE_ACTIVITY', { fingerprint }), FOR_OTHERS);
    refused(await own.submit('REJECT_ACTIVITY', { fingerprint }), FOR_OTHERS);
    const approval = root.bodyOf('APPROVE_ACTIVITY', { fingerprint });
    const done = await root.send(submitPath('APPROVE_ACTIVITY'), approval);
    assert.equal(statusOf(done), COMPLETED);
    const voters = done.body.activity.votes.map(({ user }: { user: { userId: string } }) => user.userId);
    assert.deepEqual(voters, [secondId, instance.credentials.userId]);
    const again = await root.send(submitPath('APPROVE_ACTIVITY'), approval);
    assert.deepEqual(again.body.activity, done.body.activity, 'the same vote is answered the same');
  });
});

test('the same body from another user of the parent is a vote, and one from the sub-organization is none', async () => {
  const { root, second, member, own, permitted } = world;
  await permitted(both, async () => {
    const body = tag(second, 'the same body');
    const { id, fingerprint } = waitingIn(await second.send(PATH, body));
    refused(await own.send(PATH, body), FOR_OTHERS);
    refused(await member.send(PATH, body), [403, 'REQUEST_NOT_AUTHORIZED', /waits for the approval of other users/]);
    const done = await root.send(PATH, body);
    assert.equal(statusOf(done), COMPLETED);
    assert.deepEqual([done.body.activity.id, done.body.activity.votes.length], [id, 2]);
    const told = await own.send(PATH, body);
    assert.deepEqual([told.status, told.body.activity.votes.length], [200, 2]);
    refused(await root.submit('APPROVE_ACTIVITY', { fingerprint }), [403, 'REQUEST_NOT_AUTHORIZED', /has ended/]);
  });
});

test("the sub-organization's users vote on the activities that they submit", async () => {
  const { organizationId, clients } = await instance.newSubOrganization('Theirs', 2, 2);
  const body = tag(clients[0]!, 'theirs');
  const { id, fingerprint } = waitingIn(await clients[0]!.send(PATH, body));
  const parent = instance.root.as(instance.root.keys, organizationId);
  refused(await parent.send(PATH, body), MISMATCH);
  for (const vote of ['APPROVE_ACTIVITY', 'REJECT_ACTIVITY']) refused(await parent.submit(vote, { fingerprint }), MISMATCH);
  assert.deepEqual(await mayVote(parent, id), [false, false]);
  const { activities } = (await clients[0]!.query('list_activities')).body;
  assert.equal(activities.length, 1, 'a vote of those who have no say leaves nothing');
  assert.equal(statusOf(await clients[1]!.submit('APPROVE_ACTIVITY', { fingerprint })), COMPLETED);
});

test('a vote whose bytes a user of the sub-organization sent first has to be another', async () => {
  const { root, second, own, permitted } = world;
  await permitted(both, async () => {
    const { id, fingerprint } = waitingIn(await second.send(PATH, tag(second, 'first bytes')));
    const bytes = own.bodyOf('APPROVE_ACTIVITY', { fingerprint });
    refused(await own.send(submitPath('APPROVE_ACTIVITY'), bytes), FOR_OTHERS);
    refused(await root.send(submitPath('APPROVE_ACTIVITY'), bytes), MISMATCH);
    assert.equal(await votesOn(id), 1);
    assert.equal(statusOf(await root.submit('REJECT_ACTIVITY', { fingerprint })), 'ACTIVITY_STATUS_REJECTED');
  });
});

test('a user votes once, however often the vote arrives at once', async () => {
  const { second, member, memberId, permitted, secondId } = world;
  await permitted(`${approvedBy(secondId)} && ${approvedBy(memberId)} && approvers.count() > 2`, async () => {
    const { id, fingerprint } = waitingIn(await second.send(PATH, tag(second, 'once')));
    const votes = [1, 2, 3, 4].map(() => member.submit('APPROVE_ACTIVITY', { fingerprint }));
    for (const { status, text } of await Promise.all(votes)) assert.equal(status, 200, text);
    assert.equal(await votesOn(id), 2);
  });
});

test("it runs for its submitter, whichever user votes last, also if the submitter's key is gone", async (t) => {
  const { root, second, secondId, sub, permitted } = world;
  const submitters: Caller[] = [];
  const { execute } = createUserTag;
  t.mock.method(createUserTag, 'execute', (...[step]: Parameters<Execute>) => {
    submitters.push(step.ctx.submitter);
    return execute(step);
  });
  const keys = newKeys();
  const above = second.as(second.keys, instance.root.organizationId);
  const made = await above.submit('CREATE_API_KEYS_V2', { userId: secondId, apiKeys: [apiKey(keys)] });
  const { apiKeyIds } = resultOf(made, 'createApiKeysResult');
  await permitted(both, async () => {
    const session = second.as(keys, sub.organizationId);
    const { fingerprint } = waitingIn(await session.send(PATH, tag(session, 'for the second')));
    resultOf(await instance.root.submit('DELETE_API_KEYS', { userId: secondId, apiKeyIds }), 'deleteApiKeysResult');
    assert.equal(statusOf(await root.submit('APPROVE_ACTIVITY', { fingerprint })), COMPLETED);
    assert.equal(statusOf(await root.send(PATH, tag(root, 'for the root user'))), COMPLETED);
  });
  const parentId = instance.root.organizationId;
  assert.deepEqual(
    submitters.map(({ organization, user }) => [organization.id, user.id]),
    [
      [parentId, secondId],
      [parentId, instance.credentials.userId],
    ],
  );
  assert.throws(() => submitters[0]!.credential, /the credential that submitted this activity was deleted/);
  assert.equal(submitters[1]!.credential.publicKey, root.keys.publicKey);
});

test('a submitter who is gone fails what is done for them, and nothing else', async (t) => {
  const { root, permitted } = world;
  const leaving = await instance.newUser('Leaving');
  const client = root.as(leaving.keys);
  const [asks, asksNot] = await permitted(`${approvedBy(leaving.userId)} && approvers.count() > 1`, async () => [
    waitingIn(await client.send(PATH, tag(client, 'for the leaver'))),
    waitingIn(await client.send(PATH, tag(client, 'for nobody'))),
  ]);
  resultOf(await instance.root.submit('DELETE_USERS', { userIds: [leaving.userId] }), 'deleteUsersResult');
  assert.equal(statusOf(await root.submit('APPROVE_ACTIVITY', { fingerprint: asksNot!.fingerprint })), COMPLETED);
  const { execute } = createUserTag;
  t.mock.method(createUserTag, 'execute', (...[step]: Parameters<Execute>) => {
    const userIds = [step.ctx.submitter.user.id];
    return execute({ ...step, intent: { ...(step.intent as object), userIds } });
  });
  const failed = await root.submit('APPROVE_ACTIVITY', { fingerprint: asks!.fingerprint });
  assert.deepEqual([failed.status, statusOf(failed)], [200, 'ACTIVITY_STATUS_FAILED'], failed.text);
  assert.match(failed.body.activity.failure.message, /the user that submitted this activity was deleted/);
  const [first] = failed.body.activity.votes;
  assert.equal(first.user.userName, 'Leaving', 'the record shows them as they were');
});
