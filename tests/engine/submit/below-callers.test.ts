import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { createUserTag } from '../../../src/activities/tags/create-user-tag.ts';
import { newPolicy } from '../../e2e/authority.ts';
import { type Answer, type Client, newKeys, submitPath, userWith } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';
import { refused } from '../../support/refusals.ts';

/**
 * An activity that may name the parent of the sub-organization in which the credential is. CREATE_USER_TAG replaces the logins, so that
 * nothing but who may submit it is special.
 */
const instance = await sharedInstance();
const TYPE = 'CREATE_USER_TAG';
const PATH = submitPath(TYPE);

type Sub = Awaited<ReturnType<typeof instance.newSubOrganization>>;
let one: Sub;
let two: Sub;

const tag = (client: Client, userTagName: string): string => client.bodyOf(TYPE, { userTagName, userIds: [] });
const namingParent = ({ clients: [client] }: Sub): Client => client!.as(client!.keys, instance.root.organizationId);
const statusOf = (answer: Answer): string => answer.body.activity?.status ?? answer.text;
const tags = async (client: Client): Promise<string[]> =>
  (await client.query('list_user_tags')).body.userTags.map(({ tagName }: { tagName: string }) => tagName);

before(async () => {
  createUserTag.submitters.from = 'below';
  one = await instance.newSubOrganization('One', 1, 1);
  two = await instance.newSubOrganization('Two', 2, 2);
});

test('it runs in the sub-organization of the credential, and is known there by its body', async () => {
  const client = namingParent(one);
  const body = tag(client, 'below');
  const done = await client.send(PATH, body);
  assert.equal(statusOf(done), 'ACTIVITY_STATUS_COMPLETED');
  assert.equal(done.body.activity.organizationId, one.organizationId);
  assert.deepEqual((await client.send(PATH, body)).body, done.body);
  assert.deepEqual([await tags(one.clients[0]!), await tags(instance.root)], [['below'], []]);
  const { activities } = (await instance.root.query('list_activities', { filterByType: [`ACTIVITY_TYPE_${TYPE}`] })).body;
  assert.deepEqual(activities, []);
});

test('the quorum and the policies there decide, and its users vote', async () => {
  await newPolicy(instance.root, { condition: "activity.kind == 'CREATE_USER_TAG'", consensus: 'true' });
  const [first, second] = two.clients as [Client, Client];
  const client = namingParent(two);
  const body = tag(client, 'together');
  const waiting = await client.send(PATH, body);
  assert.equal(statusOf(waiting), 'ACTIVITY_STATUS_CONSENSUS_NEEDED');
  const { fingerprint } = waiting.body.activity;
  refused(await instance.root.submit('APPROVE_ACTIVITY', { fingerprint }), [404, 'UNSPECIFIED', /No activity found/]);
  const approved = await second.submit('APPROVE_ACTIVITY', { fingerprint });
  assert.equal(statusOf(approved), 'ACTIVITY_STATUS_COMPLETED');
  assert.deepEqual(await tags(first), ['together']);
  // The same bytes are the same activity for every sender of the sub-organization.
  assert.equal(
    (await client.as(second.keys, instance.root.organizationId).send(PATH, body)).body.activity.id,
    approved.body.activity.id,
  );
});

test('in the named organization itself it works as always', async () => {
  assert.equal(statusOf(await instance.root.send(PATH, tag(instance.root, 'own'))), 'ACTIVITY_STATUS_COMPLETED');
  assert.equal(statusOf(await one.clients[0]!.send(PATH, tag(one.clients[0]!, 'own'))), 'ACTIVITY_STATUS_COMPLETED');
  assert.deepEqual(await tags(instance.root), ['own']);
});

test('a credential in several sub-organizations, of a parent, or of another organization, runs nowhere', async () => {
  const keys = newKeys();
  for (const sub of ['Several', 'Many']) {
    const parameters = { subOrganizationName: sub, rootQuorumThreshold: 1, rootUsers: [userWith(sub, [keys])] };
    await instance.root.submit('CREATE_SUB_ORGANIZATION_V8', parameters);
  }
  const several = instance.root.as(keys);
  refused(await several.send(PATH, tag(several, 'several')), [401, 'CREDENTIAL_CONFLICT', /more than one suborg/]);
  const parent = instance.root.as(instance.root.keys, one.organizationId);
  refused(await parent.send(PATH, tag(parent, 'parent')), [400, 'ORGANIZATION_MISMATCH', /voters are in/]);
  const sibling = one.clients[0]!.as(one.clients[0]!.keys, two.organizationId);
  refused(await sibling.send(PATH, tag(sibling, 'sibling')), [401, 'PUBLIC_KEY_NOT_FOUND', /could not find/]);
});
