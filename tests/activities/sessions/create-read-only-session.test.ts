import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newPolicy } from '../../e2e/authority.ts';
import { SoftAuthenticator } from '../../support/authenticator.ts';
import { type Answer, type Client, post, resultOf, stampOf, submitPath } from '../../support/client.ts';
import { addPasskey, byPasskey } from '../../support/passkey-client.ts';
import { refused } from '../../support/refusals.ts';
import { sharedPair } from '../support.ts';
import { askWith, login, withSession } from './support.ts';

const { instance, pair } = await sharedPair({ TRUSTED_PROXIES: '127.0.0.1' });
const { root } = instance;

const TYPE = 'CREATE_READ_ONLY_SESSION';
const KEY = 'createReadOnlySessionResult';
const ENDED: [number, string, RegExp] = [401, 'UNAUTHENTICATED', /session in X-Session is unknown, or has ended/];

async function newSession(client: Client): Promise<string> {
  return resultOf(await client.submit(TYPE, {}), KEY).session;
}

test('the session reads what its user may read, for an hour, without a stamp', async () => {
  const { client } = await instance.newUser('Reader');
  const body = client.bodyOf(TYPE, {});
  const answer = await client.send(submitPath(TYPE), body);
  const { session, sessionExpiry, ...owner } = resultOf(answer, KEY);
  const who = (await client.query('whoami')).body;
  assert.deepEqual(owner, who);
  const left = Number(sessionExpiry) - instance.clock.now() / 1000;
  assert.ok(left > 3540 && left <= 3660, sessionExpiry);
  assert.match(session, /^ro_[\w-]{86}$/);
  assert.deepEqual((await askWith(client, session)).body, who);
  for (const [name, parameters] of [
    ['list_users', {}],
    ['list_activities', {}],
    ['get_user', { userId: who.userId }],
  ] as const)
    assert.equal(
      (await askWith(client, session, name, parameters)).text,
      (await client.query(name, parameters)).text.replaceAll(session, ''),
      name,
    );
  assert.deepEqual((await client.send(submitPath(TYPE), body)).body, answer.body, 'the same body makes one session');
  instance.clock.advance(3_660_000);
  refused(await askWith(client, session), ENDED);
});

test('no submit takes it, and a stamp beside it counts alone', async () => {
  const session = await newSession(root);
  const body = root.bodyOf('CREATE_USER_TAG', { userTagName: 'by nobody', userIds: [] });
  const path = submitPath('CREATE_USER_TAG');
  refused(await withSession(root, session, path, body), [401, 'SIGNATURE_MISSING', /without a stamp/]);
  const { client, userId } = await instance.newUser('Stamps');
  const query = JSON.stringify({ organizationId: root.organizationId });
  const both = (stamp: string) => post(`${root.url}/public/v1/query/whoami`, query, { 'x-stamp': stamp, 'x-session': session });
  assert.equal((await both(stampOf(client.keys, query))).body.userId, userId);
  refused(await both(stampOf(client.keys, `${query} `)), [401, 'SIGNATURE_INVALID', /./]);
});

test('what was changed, cut, made up, or is of another organization, is all the same', async () => {
  const session = await newSession(root);
  const other = await instance.newSubOrganization('Other', 1, 1);
  const theirs = await newSession(other.clients[0]!);
  const at = (i: number) => session.slice(0, i) + (session[i] === 'A' ? 'B' : 'A') + session.slice(i + 1);
  const swapped = session.slice(0, 46) + theirs.slice(46);
  const wrong = [
    '',
    'ro_',
    session.slice(3),
    session.slice(0, -1),
    `${session}A`,
    at(4),
    at(30),
    at(50),
    at(87),
    swapped,
    '0'.repeat(4000),
  ];
  for (const text of wrong) refused(await askWith(root, text), ENDED);
  const [sibling] = (await instance.newSubOrganization('Sibling', 1, 1)).clients;
  refused(await askWith(sibling!, theirs), ENDED);
  refused(await askWith(root, theirs, 'list_users'), ENDED);
  refused(await askWith(root.as(root.keys, '00000000-0000-4000-8000-000000000000'), session), [
    404,
    'ORGANIZATION_NOT_FOUND',
    /./,
  ]);
  assert.equal((await askWith(root, session)).status, 200);
});

test('as with stamps: a parent’s users read its sub-organizations, and whoami finds a sub-organization by its parent', async () => {
  const sub = await instance.newSubOrganization('Sub', 1, 1);
  const [client] = sub.clients;
  const parents = await newSession(root);
  const users = await askWith(client!, parents, 'list_users');
  assert.deepEqual(users.body, (await client!.query('list_users')).body);
  const own = await newSession(client!.as(client!.keys, root.organizationId));
  const who = await askWith(root, own);
  assert.deepEqual([who.body.organizationId, who.body.userId], [sub.organizationId, sub.userIds[0]]);
});

test('it ends with its user, and with the credential that made it', async () => {
  const user = await instance.newUser('Leaves');
  const byKey = await newSession(user.client);
  const logged = await login(root);
  const byLogin = await newSession(logged.client);
  const authenticator = new SoftAuthenticator();
  const passkey = await addPasskey(user.client, user.userId, authenticator);
  const byKeyOfPerson = resultOf(await byPasskey(user.client, authenticator).submit(TYPE, {}), KEY).session;
  for (const session of [byKey, byLogin, byKeyOfPerson]) assert.equal((await askWith(root, session)).status, 200);
  const { userId } = (await root.query('whoami')).body;
  await login(root, { invalidateExisting: true });
  refused(await askWith(root, byLogin), ENDED);
  await user.client.submit('DELETE_AUTHENTICATORS', { userId: user.userId, authenticatorIds: [passkey] });
  refused(await askWith(root, byKeyOfPerson), ENDED);
  assert.equal((await askWith(root, byKey)).body.userId, user.userId);
  resultOf(await root.submit('DELETE_USERS', { userIds: [user.userId] }), 'deleteUsersResult');
  refused(await askWith(root, byKey), ENDED);
  assert.notEqual(userId, user.userId);
});

test('it lasts no longer than the key that made it', async () => {
  const { client } = await login(root, { expirationSeconds: '60' });
  const { session, sessionExpiry } = resultOf(await client.submit(TYPE, {}), KEY);
  assert.ok(Number(sessionExpiry) <= instance.clock.now() / 1000 + 60, sessionExpiry);
  assert.equal((await askWith(root, session)).status, 200);
  instance.clock.advance(120_000);
  refused(await askWith(root, session), ENDED);
});

test('a user has ten; one more ends the oldest, and expired ones leave', async () => {
  const { client, userId } = await instance.newUser('Many');
  const rows = async () =>
    Number((await instance.raw('SELECT COUNT(*) AS n FROM read_only_sessions WHERE user_id = $1', userId))[0]!.n);
  const sessions: string[] = [];
  for (let i = 0; i < 11; i++) sessions.push(await newSession(client));
  refused(await askWith(client, sessions[0]!), ENDED);
  for (const session of sessions.slice(1)) assert.equal((await askWith(client, session)).status, 200);
  assert.equal(await rows(), 10);
  instance.clock.advance(3_660_000);
  await newSession(client);
  assert.equal(await rows(), 1);
});

test('any user may make one, unless a policy denies it; nobody else sees it', async () => {
  const { client, userId } = await instance.newUser('Modest');
  const session = await newSession(client);
  const shown = async (viewer: Client) =>
    (await viewer.query('list_activities', { filterByType: [`ACTIVITY_TYPE_${TYPE}`] })).body.activities
      .map(({ result }: { result: Record<string, { userId: string; session: string }> }) => result[KEY])
      .filter((one: { userId: string }) => one.userId === userId)
      .map((one: { session: string }) => one.session);
  assert.deepEqual(await shown(root), ['']);
  assert.deepEqual(await shown(client), [''], 'no list has it');
  const { activities } = (await client.query('list_activities', { filterByType: [`ACTIVITY_TYPE_${TYPE}`] })).body;
  const { id: activityId } = activities.find(
    ({ result }: { result: Record<string, { userId: string }> }) => result[KEY]!.userId === userId,
  );
  const asked = async (viewer: Client) => (await viewer.query('get_activity', { activityId })).body.activity.result[KEY].session;
  assert.deepEqual([await asked(root), await asked(client)], ['', session]);
  const stored = (await instance.raw('SELECT result FROM activities')).map(({ result }) => String(result));
  assert.ok(stored.some((text) => text.startsWith('sealed:')));
  for (const text of stored) assert.ok(!text.includes(session) && !text.includes(session.slice(46)));
  const hashes = await instance.raw('SELECT secret FROM read_only_sessions WHERE user_id = $1', userId);
  assert.deepEqual(
    hashes.map(({ secret }) => (secret as Buffer).length),
    [37],
  );
  const consensus = `approvers.any(user, user.id == '${userId}')`;
  await newPolicy(root, { effect: 'EFFECT_DENY', condition: "activity.kind == 'CREATE_READ_ONLY_SESSION'", consensus });
  refused(await client.submit(TYPE, {}), [403, 'REQUEST_NOT_AUTHORIZED', /./]);
});

test('it is shown no secret of its user’s, such as another session', async () => {
  const { client } = await instance.newUser('Has two');
  const first = await newSession(client);
  const { activity } = (await client.submit(TYPE, {})).body;
  for (const [name, parameters, found] of [
    ['get_activity', { activityId: activity.id }, (body: Answer['body']) => body.activity],
    ['list_activities', {}, (body: Answer['body']) => body.activities.find(({ id }: { id: string }) => id === activity.id)],
  ] as const) {
    const answer = await askWith(client, first, name, parameters);
    assert.equal(found(answer.body).result[KEY].session, '');
    assert.ok(!answer.text.includes(activity.result[KEY].session));
    // No list has a secret, for any caller.
    const own = name === 'get_activity' ? activity.result[KEY].session : '';
    assert.equal(found((await client.query(name, parameters)).body).result[KEY].session, own);
  }
});

test('the IP allow-lists of its organization, and of the key that made it, hold for it', async () => {
  const far = root.from('203.0.113.9');
  const near = root.from('192.0.2.1');
  const from = (client: Client, session: string) =>
    post(`${root.url}/public/v1/query/whoami`, JSON.stringify({ organizationId: root.organizationId }), {
      'x-session': session,
      'x-forwarded-for': client === far ? '203.0.113.9' : '192.0.2.1',
    });
  const keyed = await instance.newUser('Has a list');
  const [plain, own] = [await newSession(near), await newSession(keyed.client.from('192.0.2.1'))];
  const rules = (cidr: string) => [{ cidr, label: 'list' }];
  const publicKey = keyed.keys.publicKey;
  resultOf(await near.submit('SET_IP_ALLOWLIST', { publicKey, rules: rules('203.0.113.0/24') }), 'setIpAllowlistResult');
  resultOf(await near.submit('SET_IP_ALLOWLIST', { enabled: true, rules: rules('192.0.2.0/24') }), 'setIpAllowlistResult');
  const no: [number, string, RegExp] = [403, 'REQUEST_NOT_AUTHORIZED', /./];
  refused(await from(far, plain), no);
  assert.equal((await from(near, plain)).status, 200);
  refused(await from(near, own), no);
  assert.equal((await from(far, own)).body.userId, keyed.userId);
  resultOf(await near.submit('REMOVE_IP_ALLOWLIST', {}), 'removeIpAllowlistResult');
});

test('waits where a policy asks for more approvers; the session is its submitter’s', async () => {
  const { client, userId } = await instance.newUser('Asks');
  const consensus = `approvers.count() >= 2`;
  await newPolicy(root, { condition: "activity.kind == 'CREATE_READ_ONLY_SESSION'", consensus });
  const body = client.bodyOf(TYPE, {});
  const waiting = await client.send(submitPath(TYPE), body);
  assert.equal(waiting.body.activity?.status, 'ACTIVITY_STATUS_CONSENSUS_NEEDED', waiting.text);
  const approved = await root.submit('APPROVE_ACTIVITY', { fingerprint: waiting.body.activity.fingerprint });
  assert.equal(approved.body.activity.result[KEY].session, '', 'who approves does not get it');
  const { activity } = (await client.query('get_activity', { activityId: waiting.body.activity.id })).body;
  assert.equal((await askWith(root, activity.result[KEY].session)).body.userId, userId);
  // A root user needs no other for it.
  resultOf(await pair.clients[1].submit(TYPE, {}), KEY);
});
