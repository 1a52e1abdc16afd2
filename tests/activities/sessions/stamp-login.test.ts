import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newPolicy } from '../../e2e/authority.ts';
import { samples } from '../../support/all-samples.ts';
import { SoftAuthenticator } from '../../support/authenticator.ts';
import { apiKey, newKeys, resultOf, submitPath } from '../../support/client.ts';
import { addPasskey, byPasskey } from '../../support/passkey-client.ts';
import { newTarget } from '../../support/published.ts';
import { NOBODY, refused, refusesEach } from '../../support/refusals.ts';
import { refusedToNobody, sharedPair, waitsForBoth } from '../support.ts';
import { apiKeysOf, claimsOf, login, mayAsk } from './support.ts';

const { instance, pair } = await sharedPair({ LIMIT_EXPIRING_API_KEYS: '4' });
const { root, url } = instance;

const TYPE = 'STAMP_LOGIN';
const KEY = 'stampLoginResult';
const sample = () => samples('STAMP_LOGIN') as object;
const LOGIN = 'CREDENTIAL_TYPE_LOGIN';

/** A user of the root organization who may log in by a policy. */
async function newUser(name: string) {
  const user = await instance.newUser(name);
  const consensus = `approvers.any(user, user.id == '${user.userId}')`;
  await newPolicy(root, { condition: "activity.kind == 'STAMP_LOGIN'", consensus });
  return user;
}

test('the session is a token that the published client verifies, and its key stamps requests until it expires', async () => {
  const keys = newKeys();
  const before = Math.floor(instance.clock.now() / 1000);
  const body = root.bodyOf(TYPE, { publicKey: keys.publicKey });
  const answer = await root.send(submitPath(TYPE), body);
  const { session } = resultOf(answer, KEY);
  const { exp, ...claims } = await claimsOf(url, session);
  const { organizationId, userId } = (await root.query('whoami')).body;
  assert.deepEqual(claims, {
    public_key: keys.publicKey,
    session_type: 'SESSION_TYPE_READ_WRITE',
    user_id: userId,
    organization_id: organizationId,
  });
  assert.ok(exp >= before + 900 && exp <= before + 960, `${exp}`);
  const mine = root.as(keys);
  assert.equal((await mine.query('whoami')).body.userId, userId);
  resultOf(await mine.submit('CREATE_USER_TAG', { userTagName: 'by a session', userIds: [] }), 'createUserTagResult');
  const [key] = (await apiKeysOf(root, userId)).filter(({ credential }) => credential.type === LOGIN);
  assert.deepEqual(
    [key.credential.publicKey, key.expirationSeconds, key.apiKeyName],
    [keys.publicKey, '900', `Login - ${key.createdAt.seconds}`],
  );
  assert.deepEqual((await root.send(submitPath(TYPE), body)).body, answer.body, 'the same body logs in once');
  instance.clock.advance(960_000);
  assert.equal(await mayAsk(mine), 'API_KEY_EXPIRED');
});

test('expirationSeconds sets the lifetime, in the token too', async () => {
  const { client, session } = await login(root, { expirationSeconds: '60' });
  const left = (await claimsOf(url, session)).exp - instance.clock.now() / 1000;
  assert.ok(left > 30 && left < 90, `${left}`);
  assert.equal(await mayAsk(client), 200);
  instance.clock.advance(120_000);
  assert.equal(await mayAsk(client), 'API_KEY_EXPIRED');
});

test('any credential logs in: an API key, a passkey, a session; the parent may be named for a sub-organization', async () => {
  const sub = await instance.newSubOrganization('Logins', 1, 1);
  const [client] = sub.clients;
  const naming = client!.as(client!.keys, root.organizationId);
  const { session } = await login(naming);
  assert.equal((await claimsOf(url, session)).organization_id, sub.organizationId);
  const authenticator = new SoftAuthenticator();
  await addPasskey(client!, sub.userIds[0]!, authenticator);
  const keys = newKeys();
  const byKey = await byPasskey(naming, authenticator).submit(TYPE, { publicKey: keys.publicKey.toUpperCase() });
  const claims = await claimsOf(url, resultOf(byKey, KEY).session);
  assert.deepEqual([claims.user_id, claims.public_key], [sub.userIds[0], keys.publicKey]);
  const next = await login(client!.as(keys));
  assert.equal((await next.client.query('whoami')).body.userId, sub.userIds[0]);
});

test('invalidateExisting ends the other sessions of the user, the stamping one too, and nothing else', async () => {
  const user = await newUser('Everywhere');
  const other = await login((await newUser('Somebody else')).client);
  const first = await login(user.client);
  const short = newKeys();
  const apiKeys = [apiKey(short, { expirationSeconds: '600' })];
  await user.client.submit('CREATE_API_KEYS_V2', { userId: user.userId, apiKeys });
  const second = await login(first.client);
  assert.deepEqual([await mayAsk(first.client), await mayAsk(second.client)], [200, 200]);
  const third = await login(second.client, { invalidateExisting: true });
  const left = [user.client, user.client.as(short), third.client, other.client];
  for (const client of left) assert.equal(await mayAsk(client), 200);
  for (const { client } of [first, second]) assert.equal(await mayAsk(client), 'PUBLIC_KEY_NOT_FOUND');
  // A session that is refreshed with its own key stays.
  const same = await login(third.client, { invalidateExisting: true, expirationSeconds: '1200' }, third.client.keys);
  assert.equal(await mayAsk(same.client), 200);
  const logins = (await apiKeysOf(root, user.userId)).filter(({ credential }) => credential.type === LOGIN);
  assert.deepEqual(
    logins.map(({ expirationSeconds }) => expirationSeconds),
    ['1200'],
  );
});

test('sessions and expiring API keys share one limit: expired ones make room first, then the oldest', async () => {
  const user = await newUser('Ten');
  const { userId } = user;
  const short = newKeys();
  const add = { userId, apiKeys: [apiKey(short, { expirationSeconds: '6000' })] };
  resultOf(await user.client.submit('CREATE_API_KEYS_V2', add), 'createApiKeysResult');
  const first = await login(user.client, { expirationSeconds: '6000' });
  const brief = await login(user.client, { expirationSeconds: '10' });
  const fourth = await login(user.client, { expirationSeconds: '6000' });
  instance.clock.advance(60_000);
  await login(user.client);
  assert.deepEqual(
    await Promise.all([short, first.client.keys, fourth.client.keys].map((k) => mayAsk(root.as(k)))),
    [200, 200, 200],
  );
  assert.equal(await mayAsk(brief.client), 'PUBLIC_KEY_NOT_FOUND', 'the expired one went');
  await login(user.client);
  assert.equal(await mayAsk(root.as(short)), 'PUBLIC_KEY_NOT_FOUND', 'the oldest went, though it is no session');
  assert.equal(await mayAsk(first.client), 200);
  // A lasting key takes no room, and gives none.
  const lasting = newKeys();
  resultOf(await user.client.submit('CREATE_API_KEYS_V2', { userId, apiKeys: [apiKey(lasting)] }), 'createApiKeysResult');
  for (let i = 0; i < 5; i++) await login(user.client);
  const keys = await apiKeysOf(root, userId);
  assert.equal(keys.filter(({ expirationSeconds }) => expirationSeconds !== undefined).length, 4);
  assert.equal(await mayAsk(root.as(lasting)), 200);
});

test('a key that is somebody’s already is refused', async () => {
  const user = await newUser('Taken');
  const theirs = await login((await newUser('Holder')).client);
  for (const keys of [user.keys, theirs.client.keys, root.keys])
    refused(
      await user.client.submit(TYPE, { publicKey: keys.publicKey }),
      [400, 'REQUEST_INVALID', /already has a credential with this public key/],
      'parameters.publicKey',
    );
  assert.equal(await mayAsk(theirs.client), 200);
});

test('deleting its key ends a session', async () => {
  const { client } = await login(root);
  const { userId } = (await root.query('whoami')).body;
  const key = (await apiKeysOf(root, userId)).find(({ credential }) => credential.publicKey === client.keys.publicKey);
  resultOf(await root.submit('DELETE_API_KEYS', { userId, apiKeyIds: [key.apiKeyId] }), 'deleteApiKeysResult');
  assert.equal(await mayAsk(client), 'PUBLIC_KEY_NOT_FOUND');
});

test('a user needs a policy, which sees the session profile', async () => {
  await refusedToNobody(instance, TYPE, sample());
  const user = await instance.newUser('Without a profile');
  const consensus = `approvers.any(user, user.id == '${user.userId}')`;
  const condition = "activity.kind == 'STAMP_LOGIN' && activity.params.session_profile_id == ''";
  await newPolicy(root, { condition, consensus });
  assert.equal(await mayAsk((await login(user.client)).client), 200);
});

test('a session profile, of the organization or of its parent: its name and scope in the token, and the shorter lifetime', async () => {
  const profile = { sessionProfileName: 'Größe ~ "klein"', scope: "activity.kind == 'STAMP_LOGIN'", expirationSeconds: '300' };
  const { sessionProfileId } = resultOf(await root.submit('CREATE_SESSION_PROFILE', profile), 'createSessionProfileResult');
  const sub = await instance.newSubOrganization('With a profile', 1, 1);
  for (const [client, asked, seconds] of [
    [root, undefined, 300],
    [sub.clients[0]!, '60', 60],
    [sub.clients[0]!, '6000', 300],
  ] as const) {
    const { client: scoped, session } = await login(client, { sessionProfileId, expirationSeconds: asked });
    const { exp, session_type, session_profile_id, scope } = await claimsOf(url, session);
    assert.deepEqual([session_type, session_profile_id, scope], [profile.sessionProfileName, sessionProfileId, profile.scope]);
    const left = exp - instance.clock.now() / 1000;
    assert.ok(left > seconds - 30 && left < seconds + 30, `${left}`);
    assert.equal(await mayAsk(scoped), 200);
    const refusal: [number, string, RegExp] = [403, 'REQUEST_NOT_AUTHORIZED', /./];
    refused(await scoped.submit('CREATE_USER_TAG', { userTagName: 'out of scope', userIds: [] }), refusal);
    assert.equal(await mayAsk((await login(scoped)).client), 200);
  }
  const unknown: [number, string, RegExp] = [404, 'UNSPECIFIED', /session profile not found: parameters.sessionProfileId/];
  refused(await root.submit(TYPE, { ...sample(), sessionProfileId: NOBODY }), unknown);
});

test('a key that is deleted while its login waits logs nobody in', async () => {
  const kinds = ['STAMP_LOGIN', 'CREATE_READ_WRITE_SESSION', 'CREATE_READ_ONLY_SESSION'];
  const condition = `activity.kind in [${kinds.map((kind) => `'${kind}'`).join(', ')}]`;
  const policyId = await newPolicy(root, { condition, consensus: 'approvers.count() >= 2' });
  for (const [type, parameters] of [
    ['STAMP_LOGIN', { publicKey: newKeys().publicKey }],
    ['CREATE_READ_WRITE_SESSION_V2', { targetPublicKey: newTarget().publicKeyUncompressed }],
    ['CREATE_READ_ONLY_SESSION', {}],
  ] as const) {
    const { client, userId, keys } = await instance.newUser(`Robbed by ${type}`);
    resultOf(await root.submit('CREATE_API_KEYS_V2', { userId, apiKeys: [apiKey(newKeys())] }), 'createApiKeysResult');
    const { fingerprint } = (await client.submit(type, parameters)).body.activity;
    const stolen = (await apiKeysOf(root, userId)).find(({ credential }) => credential.publicKey === keys.publicKey);
    resultOf(await root.submit('DELETE_API_KEYS', { userId, apiKeyIds: [stolen.apiKeyId] }), 'deleteApiKeysResult');
    const { activity } = (await root.submit('APPROVE_ACTIVITY', { fingerprint })).body;
    assert.equal(activity.status, 'ACTIVITY_STATUS_FAILED', type);
    assert.match(activity.failure.message, /the credential that submitted this activity was deleted/);
  }
  resultOf(await root.submit('DELETE_POLICY', { policyId }), 'deletePolicyResult');
});

test('bad parameters are named', () =>
  refusesEach(root, TYPE, [
    [{ publicKey: '' }, 'parameters.publicKey', /hex public key/],
    [{ publicKey: '02'.repeat(66) }, 'parameters.publicKey', /hex public key/],
    [{ publicKey: `0x${newKeys().publicKey}` }, 'parameters.publicKey', /is not a P-256 public key/],
    [{ publicKey: `02${'ff'.repeat(32)}` }, 'parameters.publicKey', /is not a P-256 public key/],
    ...['0', '-1', '1.5', '', '12345678901', 'soon'].map(
      (expirationSeconds) =>
        [{ ...sample(), expirationSeconds }, 'parameters.expirationSeconds', /invalid api key expiration/] as const,
    ),
  ]));

test('waits for the second root user; the session is the first one’s', async () => {
  const keys = newKeys();
  const { session } = await waitsForBoth(pair, TYPE, { publicKey: keys.publicKey }, KEY);
  assert.equal((await claimsOf(url, session)).user_id, pair.userIds[0]);
  assert.equal((await pair.clients[0].as(keys).query('whoami')).body.userId, pair.userIds[0]);
});
