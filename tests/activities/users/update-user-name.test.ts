import assert from 'node:assert/strict';
import { test } from 'node:test';
import { activityOf, newPolicy, newWallet, signing } from '../../e2e/authority.ts';
import { resultOf } from '../../support/client.ts';
import { NOBODY, refused, refusesEach } from '../../support/refusals.ts';
import { refusedToNobody, sharedPair } from '../support.ts';

const { instance, pair } = await sharedPair();

const TYPE = 'UPDATE_USER_NAME';
const KEY = 'updateUserNameResult';
const shown = async (userId: string) => (await instance.root.query('get_user', { userId })).body.user;
const rename = (userId: string, userName: string) => instance.root.submit(TYPE, { userId, userName });

test('another name and nothing else; they sign in as before', async () => {
  const { client, userId } = await instance.newUser('Before');
  const before = await shown(userId);
  instance.clock.advance(5_000);
  assert.deepEqual(resultOf(await rename(userId.toUpperCase(), 'Zoë „Žižka“ 🗝'), KEY), { userId });
  const after = await shown(userId);
  assert.deepEqual(after, { ...before, userName: 'Zoë „Žižka“ 🗝', updatedAt: after.updatedAt });
  assert.ok(Number(after.updatedAt.seconds) >= Number(before.updatedAt.seconds) + 5);
  assert.equal((await client.query('whoami')).body.username, 'Zoë „Žižka“ 🗝');
});

test('its own name again, and the name of another user, are no matter', async () => {
  const [one, two] = [await instance.newUser('One'), await instance.newUser('Two')];
  const name = (await shown(one.userId)).userName;
  for (const { userId } of [one, two]) assert.deepEqual(resultOf(await rename(userId, name), KEY), { userId });
  assert.deepEqual([(await shown(one.userId)).userName, (await shown(two.userId)).userName], [name, name]);
});

test('a sub-organization is found by the new name of its user', async () => {
  const sub = await instance.newSubOrganization('Found', 1, 1);
  const found = async (filterValue: string) =>
    (await instance.root.query('list_suborgs', { filterType: 'USERNAME', filterValue })).body.organizationIds;
  resultOf(await sub.clients[0]!.submit(TYPE, { userId: sub.userIds[0], userName: 'A name of its own' }), KEY);
  assert.deepEqual(await found('A name of its own'), [sub.organizationId]);
});

test('each vote shows the user as they were then', async () => {
  const { userId } = instance.credentials;
  const { userName } = await shown(userId);
  const ids: string[] = [];
  for (const name of ['First', 'Second', userName]) ids.push((await rename(userId, name)).body.activity.id);
  const voters = await Promise.all(ids.map(async (id) => (await activityOf(instance.root, id)).votes[0].user.userName));
  assert.deepEqual(voters, [userName, 'First', 'Second']);
});

test('a policy that names the user by the old name applies no more', async () => {
  const { client, userId } = await instance.newUser('Signer');
  const { addresses } = await newWallet(instance.root);
  const { userName } = await shown(userId);
  await newPolicy(instance.root, { consensus: `approvers.any(u, u.alias == '${userName}')` });
  const sign = () => client.submit('SIGN_RAW_PAYLOAD_V2', signing(addresses[0]!));
  resultOf(await sign(), 'signRawPayloadResult');
  resultOf(await rename(userId, 'Renamed'), KEY);
  assert.equal((await sign()).status, 403);
  resultOf(await rename(userId, userName), KEY);
  resultOf(await sign(), 'signRawPayloadResult');
});

test('an unknown user, and a user of another organization', async () => {
  const { userName } = (await pair.parent.query('get_user', { userId: pair.outsiderId })).body.user;
  for (const id of [NOBODY, pair.outsiderId])
    refused(await rename(id, 'Mine'), [404, 'UNSPECIFIED', new RegExp(`user not found: parameters.userId names ${id}`)]);
  assert.equal((await pair.parent.query('get_user', { userId: pair.outsiderId })).body.user.userName, userName);
});

test('a user without permission is refused, for themselves too', async () => {
  const { client, userId } = await instance.newUser('Plain');
  const { userName } = await shown(userId);
  await refusedToNobody(instance, TYPE, { userId, userName: 'Forbidden' });
  refused(await client.submit(TYPE, { userId, userName: 'Mine' }), [403, 'REQUEST_NOT_AUTHORIZED', /sufficient permissions/]);
  assert.equal((await shown(userId)).userName, userName);
});

test('bad parameters are named', () =>
  refusesEach(instance.root, TYPE, [[{ userId: NOBODY, userName: 'a\nb' }, 'parameters.userName', /control characters/]]));
