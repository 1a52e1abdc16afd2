import assert from 'node:assert/strict';
import { test } from 'node:test';
import { READ_PROFILE } from '../../../src/model/session-profile.ts';
import { apiKeysOf, askWith, login, mayAsk } from '../../activities/sessions/support.ts';
import { sharedPair } from '../../activities/support.ts';
import { newPolicy } from '../../e2e/authority.ts';
import { SoftAuthenticator } from '../../support/authenticator.ts';
import { type Client, newKeys, resultOf } from '../../support/client.ts';
import { addPasskey, byPasskey } from '../../support/passkey-client.ts';
import { refused } from '../../support/refusals.ts';

const { instance, pair } = await sharedPair();
const { root } = instance;

const READ = { sessionProfileId: READ_PROFILE.id };
const BY_SCOPE: [number, string, RegExp] = [403, 'REQUEST_NOT_AUTHORIZED', /scope of the session's profile/];

const sessionsOf = async (client: Client, userId: string) =>
  (await apiKeysOf(client, userId)).filter(({ expirationSeconds }) => expirationSeconds !== undefined);

/** Asks for what waits, and signs out. */
async function reads(session: Client, userId: string): Promise<void> {
  const waits = await session.query('list_waiting_activities');
  assert.equal(waits.status, 200, waits.text);
  refused(await session.submit('CREATE_USER_TAG', { userTagName: 'by reading', userIds: [] }), BY_SCOPE);
  const [key] = (await sessionsOf(session, userId)).filter(({ credential }) => credential.publicKey === session.keys.publicKey);
  const out = await session.submit('DELETE_API_KEYS', { userId, apiKeyIds: [key.apiKeyId] });
  assert.equal(out.body.activity?.status, 'ACTIVITY_STATUS_COMPLETED', out.text);
  assert.equal(await mayAsk(session), 'PUBLIC_KEY_NOT_FOUND');
}

test('the profiles are listed first, and each is found', async () => {
  for (const client of [root, pair.clients[0]]) {
    const { sessionProfiles } = (await client.query('get_session_profiles')).body;
    assert.deepEqual(
      sessionProfiles.map((one: { sessionProfileName: string }) => one.sessionProfileName),
      ['read', 'enrol'],
    );
    assert.deepEqual((await client.query('get_session_profile', READ)).body.sessionProfile, sessionProfiles[0]);
  }
});

test('an approver without any policy signs in to read, sees what waits, and signs out', async () => {
  const { client, userId } = await instance.newUser('Approver');
  refused(await client.submit('STAMP_LOGIN', { publicKey: newKeys().publicKey }), [403, 'REQUEST_NOT_AUTHORIZED', /permissions/]);
  await reads((await login(client, READ)).client, userId);
});

test('a root user of two who must agree signs in alone, sees what waits for them, votes with their own key, and signs out', async () => {
  const [first, second] = pair.clients;
  const asked = await first.submit('CREATE_USER_TAG', { userTagName: 'waits', userIds: [] });
  const { fingerprint } = asked.body.activity;
  const { client } = await login(second, READ);
  const { activities } = (await client.query('list_waiting_activities')).body;
  assert.deepEqual([activities[0].fingerprint, activities[0].waitsForCaller], [fingerprint, true]);
  refused(await client.submit('APPROVE_ACTIVITY', { fingerprint }), BY_SCOPE);
  refused(await client.submit('REJECT_ACTIVITY', { fingerprint }), BY_SCOPE);
  refused(await client.send('/public/v1/submit/create_user_tag', asked.body.activity.votes[0].message), BY_SCOPE);
  assert.equal((await second.submit('APPROVE_ACTIVITY', { fingerprint })).body.activity.status, 'ACTIVITY_STATUS_COMPLETED');
  await reads(client, pair.userIds[1]);
});

test('a session that reads deletes no other key, makes none, and sees no secret', async () => {
  const { client, userId } = await instance.newUser('Modest');
  const { client: session } = await login(client, READ);
  const keys = await apiKeysOf(client, userId);
  const own = keys.find(({ credential }) => credential.publicKey === client.keys.publicKey);
  const its = keys.find(({ credential }) => credential.publicKey === session.keys.publicKey);
  for (const apiKeyIds of [[own.apiKeyId], [its.apiKeyId, own.apiKeyId]])
    refused(await session.submit('DELETE_API_KEYS', { userId, apiKeyIds }), BY_SCOPE);
  refused(await session.submit('STAMP_LOGIN', { publicKey: newKeys().publicKey, ...READ }), BY_SCOPE);
  refused(await session.submit('CREATE_READ_ONLY_SESSION', {}), BY_SCOPE);
  const made = await client.submit('CREATE_READ_ONLY_SESSION', {});
  const secret = resultOf(made, 'createReadOnlySessionResult').session;
  const shown = (by: Client) => by.query('get_activity', { activityId: made.body.activity.id });
  assert.ok((await shown(client)).text.includes(secret));
  assert.ok(!(await shown(session)).text.includes(secret));
});

test('a session that reads lasts an hour at most, and no longer than the key that made it', async () => {
  const { client, userId } = await instance.newUser('Brief');
  await login(client, READ);
  await login(client, { ...READ, expirationSeconds: '999999' });
  for (const { expirationSeconds } of await sessionsOf(client, userId)) assert.equal(expirationSeconds, '3600');
  const short = newKeys();
  await newPolicy(root, { condition: "activity.kind == 'STAMP_LOGIN'", consensus: `approvers.any(u, u.id == '${userId}')` });
  const { client: brief } = await login(client, { expirationSeconds: '60' }, short);
  const { client: session } = await login(brief, READ);
  assert.equal(await mayAsk(session), 200);
  instance.clock.advance(61_000);
  assert.equal(await mayAsk(session), 'API_KEY_EXPIRED');
});

test('a session that has expired reads nothing, be it one that stamps or a read-only one', async () => {
  const { client } = await instance.newUser('Late');
  const { client: stamping } = await login(client, READ);
  const { session } = resultOf(await client.submit('CREATE_READ_ONLY_SESSION', {}), 'createReadOnlySessionResult');
  const names = ['whoami', 'list_users', 'list_waiting_activities', 'create_stream_ticket'];
  for (const name of names)
    for (const answer of [await stamping.query(name), await askWith(client, session, name)])
      assert.equal(answer.status, 200, name);
  instance.clock.advance(3_660_000);
  for (const name of names) {
    refused(await stamping.query(name), [401, 'API_KEY_EXPIRED', /^expired api key/]);
    refused(await askWith(client, session, name), [401, 'UNAUTHENTICATED', /is unknown, or has ended/]);
  }
});

test('a session that reads ends when a lasting credential of its user is deleted', async () => {
  const { client, userId } = await instance.newUser('Robbed');
  const authenticator = new SoftAuthenticator();
  const passkey = await addPasskey(client, userId, authenticator);
  const keys = newKeys();
  resultOf(
    await byPasskey(client, authenticator).submit('STAMP_LOGIN', { publicKey: keys.publicKey, ...READ }),
    'stampLoginResult',
  );
  const session = client.as(keys);
  assert.equal(await mayAsk(session), 200);
  const { client: other } = await login(client, READ);
  const [its] = (await sessionsOf(client, userId)).filter(({ credential }) => credential.publicKey === other.keys.publicKey);
  await client.submit('DELETE_API_KEYS', { userId, apiKeyIds: [its.apiKeyId] });
  assert.equal(await mayAsk(session), 200, 'the end of one session ends no other');
  await client.submit('DELETE_AUTHENTICATORS', { userId, authenticatorIds: [passkey] });
  assert.equal(await mayAsk(session), 'PUBLIC_KEY_NOT_FOUND');
});

test('a session that reads ends when a contact of its user is replaced, and not when the first one is added', async () => {
  const { client, userId } = await instance.newUser('Moved');
  const contacts: [string, object][] = [
    ['UPDATE_USER_EMAIL', { userEmail: 'old@example.com' }],
    ['UPDATE_USER_EMAIL', { userEmail: 'new@example.com' }],
    ['UPDATE_USER_PHONE_NUMBER', { userPhoneNumber: '+14155552671' }],
    ['UPDATE_USER_PHONE_NUMBER', { userPhoneNumber: '' }],
  ];
  const found: unknown[] = [];
  for (const [type, contact] of contacts) {
    const { client: session } = await login(client, READ);
    const changed = await root.submit(type, { userId, ...contact });
    assert.equal(changed.body.activity?.status, 'ACTIVITY_STATUS_COMPLETED', changed.text);
    found.push(await mayAsk(session));
  }
  assert.deepEqual(found, [200, 'PUBLIC_KEY_NOT_FOUND', 200, 'PUBLIC_KEY_NOT_FOUND']);
});

test('a user has ten beside the ten expiring keys, and a login to read ends nothing else', async () => {
  const { client, userId } = await instance.newUser('Many');
  await newPolicy(root, { condition: "activity.kind == 'STAMP_LOGIN'", consensus: `approvers.any(u, u.id == '${userId}')` });
  const full: Client[] = [];
  for (let i = 0; i < 10; i++) full.push((await login(client)).client);
  const reading: Client[] = [];
  for (let i = 0; i < 11; i++) reading.push((await login(client, READ)).client);
  assert.equal((await sessionsOf(client, userId)).length, 20);
  assert.equal(await mayAsk(reading[0]!), 'PUBLIC_KEY_NOT_FOUND', 'the oldest went first');
  for (const session of [...full, ...reading.slice(1)]) assert.equal(await mayAsk(session), 200);
  refused(await client.submit('STAMP_LOGIN', { publicKey: full[0]!.keys.publicKey, ...READ }), [
    400,
    'REQUEST_INVALID',
    /already has a credential/,
  ]);
  const { client: last } = await login(client, { ...READ, invalidateExisting: true });
  for (const session of full) assert.equal(await mayAsk(session), 200);
  for (const session of reading) assert.equal(await mayAsk(session), 'PUBLIC_KEY_NOT_FOUND');
  await login(client, { invalidateExisting: true });
  assert.equal(await mayAsk(last), 'PUBLIC_KEY_NOT_FOUND', 'a full login ends all others');
});

test('a DENY closes the login to read', async () => {
  const { client, userId } = await instance.newUser('Barred');
  const condition = `activity.kind == 'STAMP_LOGIN' && activity.params.session_profile_id == '${READ_PROFILE.id}'`;
  await newPolicy(root, { effect: 'EFFECT_DENY', condition, consensus: `approvers.any(u, u.id == '${userId}')` });
  refused(await client.submit('STAMP_LOGIN', { publicKey: newKeys().publicKey, ...READ }), [403, 'REQUEST_NOT_AUTHORIZED', /./]);
});
