import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newPolicy } from '../../e2e/authority.ts';
import { samples } from '../../support/all-samples.ts';
import { resultOf, submitPath } from '../../support/client.ts';
import { keysIn, newTarget } from '../../support/published.ts';
import { NOBODY, refused, refusesEach } from '../../support/refusals.ts';
import { refusedToNobody, sharedPair, waitsForBoth } from '../support.ts';
import { apiKeysOf, login, mayAsk } from './support.ts';

const { instance, pair } = await sharedPair();
const { root } = instance;

const TYPE = 'CREATE_READ_WRITE_SESSION_V2';
const KEY = 'createReadWriteSessionResultV2';
const sample = samples('CREATE_READ_WRITE_SESSION') as object;
const { userId } = (await root.query('whoami')).body;

/** A session by the bundle that was answered; opened with the published client. */
async function session(client: typeof root, more: object = {}, type = TYPE, key = KEY) {
  const target = newTarget();
  const result = resultOf(await client.submit(type, { targetPublicKey: target.publicKeyUncompressed, ...more }), key);
  return { result, client: client.as(keysIn(result.credentialBundle, target)) };
}

test('the bundle holds a key that stamps requests until it expires', async () => {
  const { result, client } = await session(root);
  assert.deepEqual(Object.keys(result), [
    'organizationId',
    'organizationName',
    'userId',
    'username',
    'apiKeyId',
    'credentialBundle',
  ]);
  const who = (await root.query('whoami')).body;
  const { apiKeyId, credentialBundle: _, ...owner } = result;
  assert.deepEqual(owner, who);
  assert.deepEqual((await client.query('whoami')).body, who);
  resultOf(await client.submit('CREATE_USER_TAG', { userTagName: 'by a session', userIds: [] }), 'createUserTagResult');
  const key = (await apiKeysOf(root, userId)).find((one) => one.apiKeyId === apiKeyId);
  assert.deepEqual(
    [key.credential, key.expirationSeconds, key.apiKeyName],
    [
      { publicKey: client.keys.publicKey, type: 'CREDENTIAL_TYPE_READ_WRITE_SESSION_KEY_P256' },
      '900',
      `Read Write Session - ${key.createdAt.seconds}`,
    ],
  );
  instance.clock.advance(960_000);
  assert.equal(await mayAsk(client), 'API_KEY_EXPIRED');
});

test('name, lifetime, and a target of 33 bytes; the same body makes one key', async () => {
  const target = newTarget();
  const parameters = { targetPublicKey: target.publicKey, apiKeyName: 'Tablet', expirationSeconds: '60' };
  const body = root.bodyOf(TYPE, parameters);
  const answer = await root.send(submitPath(TYPE), body);
  const { apiKeyId, credentialBundle } = resultOf(answer, KEY);
  assert.equal(await mayAsk(root.as(keysIn(credentialBundle, target))), 200);
  const key = (await apiKeysOf(root, userId)).find((one) => one.apiKeyId === apiKeyId);
  assert.deepEqual([key.apiKeyName, key.expirationSeconds], ['Tablet', '60']);
  assert.deepEqual((await root.send(submitPath(TYPE), body)).body, answer.body);
});

test('invalidateExisting ends the user’s other sessions of this kind, and no logins', async () => {
  const logged = await login(root);
  const [first, second] = [await session(root), await session(root, { invalidateExisting: false })];
  assert.deepEqual([await mayAsk(first.client), await mayAsk(second.client)], [200, 200]);
  const last = await session(second.client, { invalidateExisting: true });
  assert.deepEqual([await mayAsk(first.client), await mayAsk(second.client)], Array(2).fill('PUBLIC_KEY_NOT_FOUND'));
  for (const client of [root, logged.client, last.client]) assert.equal(await mayAsk(client), 200);
});

test('the parent may be named for a sub-organization', async () => {
  const sub = await instance.newSubOrganization('Below', 1, 1);
  const [client] = sub.clients;
  const made = await session(client!.as(client!.keys, root.organizationId));
  assert.deepEqual([made.result.organizationId, made.result.organizationName], [sub.organizationId, 'Below']);
  assert.equal((await client!.as(made.client.keys).query('whoami')).body.userId, sub.userIds[0]);
});

test('a root user may make a session for another user, by id or, in version 1, by email', async () => {
  const user = await instance.newUser('Bea', { userEmail: 'Bea@Example.com' });
  const { result, client } = await session(root, { userId: user.userId });
  assert.deepEqual([result.userId, result.username], [user.userId, 'Bea']);
  assert.equal((await client.query('whoami')).body.userId, user.userId);
  const older = await session(root, { email: 'bea@example.com' }, 'CREATE_READ_WRITE_SESSION', 'createReadWriteSessionResult');
  assert.equal((await older.client.query('whoami')).body.userId, user.userId);
  const { activities } = (await root.query('list_activities', { filterByType: ['ACTIVITY_TYPE_CREATE_READ_WRITE_SESSION'] }))
    .body;
  const { intent, result: shown } = activities[0];
  assert.deepEqual(Object.keys(intent), ['createReadWriteSessionIntent']);
  assert.deepEqual(Object.keys(intent.createReadWriteSessionIntent).sort(), ['email', 'targetPublicKey']);
  assert.deepEqual(shown, { createReadWriteSessionResult: { ...older.result, credentialBundle: '' } });
});

test('a user needs a policy, and with one makes no session of a root user', async () => {
  await refusedToNobody(instance, TYPE, sample);
  const user = await instance.newUser('Allowed');
  const consensus = `approvers.any(user, user.id == '${user.userId}')`;
  await newPolicy(root, { condition: "activity.kind == 'CREATE_READ_WRITE_SESSION'", consensus });
  assert.equal((await session(user.client)).result.userId, user.userId);
  const other = await instance.newUser('Other');
  assert.equal((await session(user.client, { userId: other.userId })).result.userId, other.userId);
  refused(await user.client.submit(TYPE, { ...sample, userId }), [
    403,
    'REQUEST_NOT_AUTHORIZED',
    /only a root user creates a session of a root user/,
  ]);
});

test('a session with a profile makes none without it, also for another user', async () => {
  const profile = { sessionProfileName: 'Renews', scope: "activity.kind == 'CREATE_READ_WRITE_SESSION'" };
  const { sessionProfileId } = resultOf(await root.submit('CREATE_SESSION_PROFILE', profile), 'createSessionProfileResult');
  const { client: narrow } = await login(root, { sessionProfileId });
  const other = await instance.newUser('Without a profile');
  for (const whose of [{}, { userId }, { userId: other.userId }]) {
    const { client } = await session(narrow, whose);
    const tag = { userTagName: 'wider', userIds: [] };
    refused(await client.submit('CREATE_USER_TAG', tag), [403, 'REQUEST_NOT_AUTHORIZED', /scope of the session's profile/]);
  }
});

test('an unknown id or email is refused, and so is an email of several users', async () => {
  const sub = await instance.newSubOrganization('Elsewhere', 1, 1);
  for (const id of [NOBODY, sub.userIds[0]])
    refused(await root.submit(TYPE, { ...sample, userId: id }), [
      404,
      'UNSPECIFIED',
      new RegExp(`parameters.userId names ${id}`),
    ]);
  const by = (email: string) => root.submit('CREATE_READ_WRITE_SESSION', { ...sample, email });
  refused(await by('nobody@example.com'), [404, 'UNSPECIFIED', /parameters.email is not the email of a user/]);
  refused(await by('nobody'), [400, 'INVALID_EMAIL', /parameters.email/], 'parameters.email');
  for (const name of ['One', 'Two']) await instance.newUser(name, { userEmail: 'both@example.com' });
  refused(await by('both@example.com'), [400, 'REQUEST_INVALID', /several users/], 'parameters.email');
});

test('bad parameters are named', () =>
  refusesEach(root, TYPE, [
    [{ targetPublicKey: '' }, 'parameters.targetPublicKey', /public key in hex/],
    [{ targetPublicKey: '04'.repeat(65) }, 'parameters.targetPublicKey', /must be a P-256 public key/],
    [{ ...sample, apiKeyName: '' }, 'parameters.apiKeyName', /empty/],
    [{ ...sample, apiKeyName: 'a\u0007' }, 'parameters.apiKeyName', /control/],
    [{ ...sample, expirationSeconds: '0' }, 'parameters.expirationSeconds', /invalid api key expiration/],
  ]));

test('version 1 needs an email', () =>
  refusesEach(root, 'CREATE_READ_WRITE_SESSION', [
    [{ ...sample, email: `${'a'.repeat(250)}@example.com` }, 'parameters.email', /./, 'INVALID_EMAIL'],
  ]));

test('waits for the second root user; the session is the first one’s', async () => {
  const target = newTarget();
  const { credentialBundle, ...owner } = await waitsForBoth(pair, TYPE, { targetPublicKey: target.publicKey }, KEY);
  assert.equal(owner.userId, pair.userIds[0]);
  const keys = keysIn(credentialBundle, target);
  assert.equal((await pair.clients[0].as(keys).query('whoami')).body.userId, pair.userIds[0]);
});
