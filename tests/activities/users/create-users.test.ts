import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SoftAuthenticator } from '../../support/authenticator.ts';
import { apiKey, newKeys, p256Key, resultOf, userWith } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';
import { NOBODY, refused, refusesEach } from '../../support/refusals.ts';
import { count } from '../support.ts';
import { marksOf } from '../tokens.ts';

const instance = await sharedInstance();

const TYPE = 'CREATE_USERS_V4';
const KEY = 'createUsersResult';
const user = (name: string, more: object = {}) => ({ ...userWith(name, [newKeys()]), userTags: [], ...more });

test('users with names, contacts and keys, who can sign in at once', async () => {
  const mine = newKeys();
  const users = [
    user('Ada', { userEmail: 'Ada@Example.com', userPhoneNumber: '+14155550100' }),
    user('Bo', { ...userWith('Bo', [mine, newKeys()]), userEmail: '', userPhoneNumber: '' }),
  ];
  const { userIds } = resultOf(await instance.root.submit(TYPE, { users }), KEY);
  assert.equal(userIds.length, 2);
  const [ada, bo] = await Promise.all(
    userIds.map(async (userId: string) => (await instance.root.query('get_user', { userId })).body.user),
  );
  assert.deepEqual([ada.userName, ada.userEmail, ada.userPhoneNumber], ['Ada', 'Ada@Example.com', '+14155550100']);
  assert.deepEqual([bo.userName, 'userEmail' in bo, 'userPhoneNumber' in bo], ['Bo', false, false]);
  assert.deepEqual([ada.apiKeys.length, bo.apiKeys.length], [1, 2]);
  assert.equal(bo.apiKeys[0].credential.publicKey, mine.publicKey);
  assert.equal(bo.apiKeys[0].credential.type, 'CREDENTIAL_TYPE_API_KEY_P256');
  const who = (await instance.root.as(mine).query('whoami')).body;
  assert.deepEqual([who.userId, who.username], [userIds[1], 'Bo']);
});

test('a user may have no email, no phone and the name of another user', async () => {
  resultOf(await instance.root.submit(TYPE, { users: [user('Same'), user('Same')] }), KEY);
});

for (const [type, entry] of [
  ['CREATE_USERS', { accessType: 'ACCESS_TYPE_ALL' }],
  ['CREATE_USERS_V2', {}],
  ['CREATE_USERS_V3', { oauthProviders: [], userPhoneNumber: '+14155550101' }],
  ['CREATE_USERS_V4', { oauthProviders: [], userPhoneNumber: '+14155550102' }],
] as const) {
  test(`${type} is accepted in its own shape`, async () => {
    const mine = newKeys();
    const newer = 'oauthProviders' in entry;
    const { curveType: _, ...old } = apiKey(mine);
    const sent = {
      userName: type,
      apiKeys: [newer ? apiKey(mine) : old],
      authenticators: [],
      userTags: [],
      ...entry,
    };
    const answer = await instance.root.submit(type, { users: [sent] });
    const { userIds } = resultOf(answer, KEY);
    const { activity } = answer.body;
    assert.equal(activity.type, `ACTIVITY_TYPE_${type}`);
    assert.deepEqual(activity.intent, { [`createUsersIntent${/V\d/.exec(type)?.[0] ?? ''}`]: { users: [sent] } });
    assert.deepEqual(Object.keys(activity.result).sort(), ['activity', KEY]);
    const { activity: stored } = (await instance.root.query('get_activity', { activityId: activity.id })).body;
    assert.deepEqual(stored.intent, activity.intent);
    assert.deepEqual(stored.result, { [KEY]: { userIds } });
    assert.equal((await instance.root.as(mine).query('whoami')).body.userId, userIds[0]);
  });
}

test('a public key that the organization has is refused, and all users with it', async () => {
  const before = await count(instance.root, 'list_users', 'users');
  const mine = newKeys();
  for (const users of [
    [user('A'), user('B', { apiKeys: [apiKey(instance.root.keys)] })],
    [user('A', { apiKeys: [apiKey(mine)] }), user('B', { apiKeys: [apiKey(mine)] })],
    [user('A'), user('B', { apiKeys: [apiKey({ ...mine, publicKey: instance.root.keys.publicKey.toUpperCase() })] })],
  ]) {
    const answer = await instance.root.submit(TYPE, { users });
    refused(
      answer,
      [400, 'REQUEST_INVALID', /already has a credential with this public key/],
      'parameters.users[1].apiKeys[0].publicKey',
    );
  }
  assert.equal(await count(instance.root, 'list_users', 'users'), before);
});

test('a user needs a way in that lasts', async () => {
  const expiring = [apiKey(newKeys(), { expirationSeconds: '600' })];
  for (const users of [[user('None', { apiKeys: [] })], [user('Soon', { apiKeys: expiring })]]) {
    const answer = await instance.root.submit(TYPE, { users });
    refused(answer, [400, 'REQUEST_INVALID', /at least one valid credential/], 'parameters.users[0]');
  }
  // The root organization has no login by SMS; a sub-organization has.
  refused(await instance.root.submit(TYPE, { users: [user('Phone', { apiKeys: [], userPhoneNumber: '+14155550101' })] }), [
    400,
    'REQUEST_INVALID',
    /at least one valid credential/,
  ]);
  const sub = await instance.newSubOrganization('Mail', 1, 1);
  resultOf(await sub.clients[0]!.submit(TYPE, { users: [user('Mail', { apiKeys: [], userEmail: 'a@b.c' })] }), KEY);
  resultOf(await sub.clients[0]!.submit(TYPE, { users: [user('SMS', { apiKeys: [], userPhoneNumber: '+14155550100' })] }), KEY);
});

test('the access type of version 1 is kept, and says which credential there must be', async () => {
  const first = (accessType: string, more: object = {}) => ({
    users: [{ userName: accessType, accessType, apiKeys: [p256Key(newKeys())], authenticators: [], userTags: [], ...more }],
  });
  for (const accessType of ['ACCESS_TYPE_API', 'ACCESS_TYPE_ALL']) {
    const { userIds } = resultOf(await instance.root.submit('CREATE_USERS', first(accessType)), KEY);
    assert.equal((await marksOf(instance, userIds[0])).access, accessType);
    assert.ok(!('accessType' in (await instance.root.query('get_user', { userId: userIds[0] })).body.user));
  }
  const refusal = async (parameters: object, text: RegExp) =>
    refused(await instance.root.submit('CREATE_USERS', parameters), [400, 'REQUEST_INVALID', text], 'parameters.users[0]');
  await refusal(first('ACCESS_TYPE_WEB'), /ACCESS_TYPE_WEB, so it must have a passkey/);
  await refusal(first('ACCESS_TYPE_API', { apiKeys: [] }), /ACCESS_TYPE_API, so it must have an API key/);
  const expiring = [{ ...p256Key(newKeys()), expirationSeconds: '60' }];
  await refusal(first('ACCESS_TYPE_API', { apiKeys: expiring }), /ACCESS_TYPE_API, so it must have an API key/);
  await refusal(first('ACCESS_TYPE_ALL', { apiKeys: [] }), /at least one valid credential/);
  const [other] = resultOf(await instance.root.submit(TYPE, { users: [user('No type')] }), KEY).userIds;
  assert.equal((await marksOf(instance, other)).access, 'ACCESS_TYPE_ALL');
});

test('a user of ACCESS_TYPE_WEB keeps a passkey, whatever keys there are', async () => {
  const authenticator = new SoftAuthenticator();
  const web = { userName: 'Web', accessType: 'ACCESS_TYPE_WEB', userTags: [] };
  const users = [{ ...web, apiKeys: [p256Key(newKeys())], authenticators: [authenticator.registerV1('')] }];
  const [userId] = resultOf(await instance.root.submit('CREATE_USERS', { users }), KEY).userIds;
  assert.equal((await marksOf(instance, userId)).access, 'ACCESS_TYPE_WEB');
  const { authenticators, apiKeys } = (await instance.root.query('get_user', { userId })).body.user;
  const without = { userId, authenticatorIds: [authenticators[0].authenticatorId] };
  refused(
    await instance.root.submit('DELETE_AUTHENTICATORS', without),
    [400, 'REQUEST_INVALID', /must have a passkey/],
    'parameters.authenticatorIds',
  );
  const key = { userId, apiKeyIds: [apiKeys[0].apiKeyId] };
  resultOf(await instance.root.submit('DELETE_API_KEYS', key), 'deleteApiKeysResult');
});

test('contacts are kept in one form, unverified, and found in others', async () => {
  const { clients, organizationId } = await instance.newSubOrganization('Contacts', 1, 1);
  const users = [user('Form', { userEmail: 'jo\u0308rg@Example.com', userPhoneNumber: '+44 (0)20 7946-0018' })];
  const [userId] = resultOf(await clients[0]!.submit(TYPE, { users }), KEY).userIds;
  const shown = (await clients[0]!.query('get_user', { userId })).body.user;
  assert.deepEqual([shown.userEmail, shown.userPhoneNumber], ['j\u00f6rg@Example.com', '+442079460018']);
  const marks = await marksOf(instance, userId);
  assert.deepEqual([marks.email, marks.phone], [false, false]);
  for (const [filterType, filterValue] of [
    ['EMAIL', 'JO\u0308RG@EXAMPLE.COM'],
    ['PHONE_NUMBER', '+44 20 7946 0018'],
  ])
    assert.deepEqual((await instance.root.query('list_suborgs', { filterType, filterValue })).body.organizationIds, [
      organizationId,
    ]);
});

test('a stored body with contacts that were accepted once is shown as it is', async () => {
  const answer = await instance.root.submit(TYPE, { users: [user('Old body', { userEmail: 'aXXb@example.com' })] });
  const { id, organizationId } = answer.body.activity;
  const [{ body }] = (await instance.raw('SELECT body FROM activities WHERE id = $1', id)) as [{ body: Buffer }];
  const older = Buffer.from(Buffer.from(body).toString().replace('aXXb@', 'a..b@'));
  await instance.raw('UPDATE activities SET body = $1 WHERE id = $2', older, id);
  const { activity } = (await instance.root.query('get_activity', { organizationId, activityId: id })).body;
  assert.equal(activity.intent.createUsersIntentV4.users[0].userEmail, 'a..b@example.com');
});

test('an unknown tag is refused', async () => {
  const users = [user('Tagged', { userTags: [NOBODY] })];
  refused(await instance.root.submit(TYPE, { users }), [404, 'UNSPECIFIED', /user tag not found: parameters\.users\[0\]/]);
});

test('bad parameters are named', async () => {
  const at = 'parameters.users[0]';
  const one = (more: object) => ({ users: [user('Bad', more)] });
  const p256 = newKeys().publicKey;
  await refusesEach(instance.root, TYPE, [
    [one({ userEmail: 'no email' }), `${at}.userEmail`, /invalid email address/, 'INVALID_EMAIL'],
    [one({ userEmail: `${'a'.repeat(250)}@b.c` }), `${at}.userEmail`, /invalid email address/, 'INVALID_EMAIL'],
    [one({ userEmail: 'a@b.c\r\nBcc: d@e.f' }), `${at}.userEmail`, /invalid email address/, 'INVALID_EMAIL'],
    [one({ userPhoneNumber: '0123' }), `${at}.userPhoneNumber`, /E\.164/],
    [one({ userPhoneNumber: '+1'.repeat(40) }), `${at}.userPhoneNumber`, /E\.164/],
    [one({ apiKeys: [{ apiKeyName: 'k', publicKey: p256 }] }), `${at}.apiKeys[0].curveType`, /invalid curve/],
    [
      one({ apiKeys: [{ apiKeyName: 'k', publicKey: p256, curveType: 'API_KEY_CURVE_ED25519' }] }),
      `${at}.apiKeys[0].publicKey`,
      /is not a public key on API_KEY_CURVE_ED25519/,
    ],
    [one({ apiKeys: [apiKey(newKeys(), { expirationSeconds: '0' })] }), `${at}.apiKeys[0].expirationSeconds`, /expiration/],
  ]);
  await refusesEach(instance.root, 'CREATE_USERS', [[{ users: [user('Bad')] }, `${at}.accessType`, /ACCESS_TYPE/]]);
});
