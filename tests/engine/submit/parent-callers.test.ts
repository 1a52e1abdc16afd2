import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { createUserTag } from '../../../src/activities/tags/create-user-tag.ts';
import { requireFeature } from '../../../src/domain/people/features.ts';
import { approvedBy, newPolicy } from '../../e2e/authority.ts';
import { apiKey, newKeys, resultOf } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';
import { refused } from '../../support/refusals.ts';
import { COMPLETED, PATH, type ParentWorld, parentWorld, statusOf, TYPE, tag } from './parent-world.ts';

const instance = await sharedInstance();
let world: ParentWorld;
before(async () => {
  world = await parentWorld(instance);
});

const NO_POLICY = [403, 'REQUEST_NOT_AUTHORIZED', /No policies evaluated/] as [number, string, RegExp];

type Execute = typeof createUserTag.execute;

test("the parent's root quorum decides, and the activity runs and is recorded in the sub-organization", async () => {
  const { root, own, sub } = world;
  const body = tag(root, 'by the root user');
  const done = await root.send(PATH, body);
  assert.equal(statusOf(done), COMPLETED);
  const { activity } = done.body;
  assert.equal(activity.organizationId, sub.organizationId);
  assert.equal(activity.votes[0].user.userName, (await instance.root.query('whoami')).body.username);
  assert.deepEqual((await root.send(PATH, body)).body, done.body);
  const names = (await own.query('list_user_tags')).body.userTags.map(({ tagName }: { tagName: string }) => tagName);
  assert.deepEqual(names, ['by the root user']);
  assert.equal((await instance.root.query('list_user_tags')).body.userTags.length, 0);
});

test("the sub-organization's policies have no say, and the parent's decide", async () => {
  const { member, memberId, own, permitted } = world;
  await newPolicy(own, { condition: `activity.kind == '${TYPE}'`, consensus: 'true' });
  const body = tag(member, 'by a member');
  for (let i = 0; i < 2; i++) refused(await member.send(PATH, body), NO_POLICY);
  await permitted(approvedBy(memberId), async () => {
    assert.equal(statusOf(await member.send(PATH, tag(member, 'by a member'))), COMPLETED);
    assert.equal(statusOf(await own.send(PATH, tag(own, 'own'))), COMPLETED);
  });
  refused(await member.send(PATH, tag(member, 'no more')), NO_POLICY);
});

test('a change in either organization while it is prepared has it decided anew', async (t) => {
  const { memberId, own, permitted, member } = world;
  const keys = newKeys();
  const made = await instance.root.submit('CREATE_API_KEYS_V2', { userId: memberId, apiKeys: [apiKey(keys)] });
  const { apiKeyIds } = resultOf(made, 'createApiKeysResult');
  let prepared = 0;
  let change: () => Promise<unknown> = async () => {};
  (createUserTag as { prepare: unknown }).prepare = async () => {
    prepared += 1;
    if (prepared === 1) await change();
  };
  t.after(() => {
    (createUserTag as { prepare: unknown }).prepare = undefined;
  });
  await permitted(approvedBy(memberId), async () => {
    change = () => newPolicy(own, { effect: 'EFFECT_DENY', consensus: 'false' });
    assert.equal(statusOf(await member.send(PATH, tag(member, 'changed below'))), COMPLETED);
    assert.equal(prepared, 2);
    prepared = 0;
    change = () => instance.root.submit('DELETE_API_KEYS', { userId: memberId, apiKeyIds });
    const leaver = member.as(keys);
    refused(await leaver.send(PATH, tag(leaver, 'changed above')), [401, 'PUBLIC_KEY_NOT_FOUND', /could not find/]);
    assert.equal(prepared, 1);
  });
  const names = (await own.query('list_user_tags')).body.userTags.map(({ tagName }: { tagName: string }) => tagName);
  assert.ok(names.includes('changed below') && !names.includes('changed above'));
});

test('concurrent changes in parent and child do not block each other, and every allowed one is stored', async () => {
  const subs = await Promise.all([1, 2, 3].map((i) => instance.newSubOrganization(`At once ${i}`, 1, 1)));
  const work = subs.flatMap(({ clients: [own], organizationId }) => {
    const root = instance.root.as(instance.root.keys, organizationId);
    const fromAbove = [1, 2, 3].map((i) => root.send(PATH, tag(root, `from above ${i}`)));
    const fromBelow = [1, 2].map((i) => own!.send(PATH, tag(own!, `from below ${i}`)));
    return [
      ...fromAbove,
      ...fromBelow,
      newPolicy(own!, { consensus: 'false' }),
      newPolicy(instance.root, { consensus: 'false' }),
    ];
  });
  for (const done of await Promise.all(work)) if (typeof done !== 'string') assert.equal(statusOf(done), COMPLETED);
  for (const { clients } of subs) assert.equal((await clients[0]!.query('list_user_tags')).body.userTags.length, 5);
});

test('a key that both organizations have is the one of the sub-organization', async () => {
  const keys = newKeys();
  const { client } = await instance.newUser('In both', { apiKeys: [apiKey(keys)] });
  const users = [{ userName: 'In both', apiKeys: [apiKey(keys)], authenticators: [], oauthProviders: [], userTags: [] }];
  const { userIds } = resultOf(await world.own.submit('CREATE_USERS_V4', { users }), 'createUsersResult');
  await world.permitted('false', async () => {
    const both = client.as(keys, world.sub.organizationId);
    const done = await both.send(PATH, tag(both, 'in both'));
    assert.equal(statusOf(done), COMPLETED, 'the policy there allows it');
    assert.equal(done.body.activity.votes[0].userId, userIds[0]);
  });
});

test("another parent's sub-organization is as closed as ever", async () => {
  const { clients } = await instance.newSubOrganization('Sibling', 1, 1);
  const sibling = clients[0]!.as(clients[0]!.keys, world.sub.organizationId);
  refused(await sibling.send(PATH, tag(sibling, 'x')), [401, 'PUBLIC_KEY_NOT_FOUND', /could not find/]);
  // A sub-organization's user has no say in the parent.
  const up = world.own.as(world.own.keys, instance.root.organizationId);
  refused(await up.send(PATH, tag(up, 'x')), [401, 'PUBLIC_KEY_NOT_FOUND', /could not find/]);
});

test('a feature must be on where it runs and, for a user of the parent, there too', async (t) => {
  const { execute } = createUserTag;
  t.mock.method(createUserTag, 'execute', (...[step]: Parameters<Execute>) => {
    requireFeature(step.ctx, 'FEATURE_NAME_SMS_AUTH');
    return execute(step);
  });
  t.mock.property(createUserTag, 'errors', [...createUserTag.errors, 'REQUEST_NOT_AUTHORIZED']);
  const { root, own, sub } = world;
  const off = (id: string) =>
    [403, 'REQUEST_NOT_AUTHORIZED', new RegExp(`FEATURE_NAME_SMS_AUTH is off in the organization ${id}`)] as [
      number,
      string,
      RegExp,
    ];
  refused(await root.send(PATH, tag(root, 'off above')), off(instance.root.organizationId));
  assert.equal(statusOf(await own.send(PATH, tag(own, 'on below'))), COMPLETED);
  await instance.root.submit('SET_ORGANIZATION_FEATURE', { name: 'FEATURE_NAME_SMS_AUTH', value: '' });
  assert.equal(statusOf(await root.send(PATH, tag(root, 'on in both'))), COMPLETED);
  await own.submit('REMOVE_ORGANIZATION_FEATURE', { name: 'FEATURE_NAME_SMS_AUTH' });
  refused(await root.send(PATH, tag(root, 'off below')), off(sub.organizationId));
  refused(await own.send(PATH, tag(own, 'off below')), off(sub.organizationId));
});
