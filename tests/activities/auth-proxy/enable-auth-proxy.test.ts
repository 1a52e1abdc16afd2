import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resultOf, submitPath } from '../../support/client.ts';
import { startInstance } from '../../support/instance.ts';
import { refused } from '../../support/refusals.ts';
import { sharedPair } from '../support.ts';

const { instance, pair } = await sharedPair();
const { root } = instance;

const TYPE = 'ENABLE_AUTH_PROXY';
const KEY = 'enableAuthProxyResult';
const featuresOf = async () => (await root.query('get_organization', {})).body.organizationData.features;

test('a sub-organization has none', async () => {
  refused(await pair.clients[0].submit(TYPE, {}), [400, 'INVALID_ACTIVITY_CALLER', /cannot be started in a sub-organization/]);
});

test('it makes a user with a key whose private half is sealed, and shows the feature', async () => {
  const { userId } = resultOf(await root.submit(TYPE, {}), KEY);
  const { user } = (await root.query('get_user', { userId })).body;
  assert.equal(user.userName, 'Auth proxy');
  assert.equal(user.apiKeys.length, 1);
  assert.equal(user.apiKeys[0].credential.type, 'CREDENTIAL_TYPE_API_KEY_P256');
  assert.ok((await featuresOf()).some(({ name }: { name: string }) => name === 'FEATURE_NAME_AUTH_PROXY'));
  const [row] = await instance.raw('SELECT * FROM auth_proxy_configs');
  assert.equal(Buffer.from(row!.public_key as Uint8Array).toString('hex'), user.apiKeys[0].credential.publicKey);
  // A header, a nonce, 32 bytes and a tag.
  assert.equal((row!.sealed_key as Uint8Array).length, 5 + 12 + 32 + 16);

  assert.deepEqual(resultOf(await root.submit(TYPE, {}), KEY), { userId }, 'a second time, nothing changes');
  assert.equal((await instance.raw('SELECT * FROM auth_proxy_configs')).length, 1);
});

test('two at once make one user', async () => {
  resultOf(await root.submit('DISABLE_AUTH_PROXY', {}), 'disableAuthProxyResult');
  const results = await Promise.all([0, 1, 2].map(async () => resultOf(await root.submit(TYPE, {}), KEY)));
  assert.equal(new Set(results.map(({ userId }) => userId)).size, 1);
  const { users } = (await root.query('list_users', {})).body;
  assert.equal(users.filter(({ userName }: { userName: string }) => userName === 'Auth proxy').length, 1);
});

test('there must be room for its user', async (t) => {
  const full = await startInstance({ LIMIT_USERS: '1' });
  t.after(() => full.close());
  refused(await full.root.submit(TYPE, {}), [429, 'UNSPECIFIED', /limit of 1 users/]);
  assert.equal((await full.raw('SELECT * FROM auth_proxy_configs')).length, 0);
  assert.equal((await full.root.query('list_users', {})).body.users.length, 1);
});

test('a policy may ask for two; so it may for switching it off', async () => {
  const [first, second] = [await instance.newUser('First of two'), await instance.newUser('Second of two')];
  const policy = {
    policyName: 'Two for the front door',
    effect: 'EFFECT_ALLOW',
    condition: "activity.resource == 'AUTH_PROXY'",
    consensus: 'approvers.count() >= 2',
    notes: '',
  };
  resultOf(await root.submit('CREATE_POLICY_V3', policy), 'createPolicyResult');
  const isOn = async () => (await featuresOf()).some(({ name }: { name: string }) => name === 'FEATURE_NAME_AUTH_PROXY');
  for (const [type, on] of [
    ['DISABLE_AUTH_PROXY', false],
    [TYPE, true],
  ] as const) {
    const body = first.client.bodyOf(type, {});
    const waiting = await first.client.send(submitPath(type), body);
    assert.equal(waiting.body.activity?.status, 'ACTIVITY_STATUS_CONSENSUS_NEEDED', waiting.text);
    assert.equal(await isOn(), !on);
    const done = await second.client.send(submitPath(type), body);
    assert.equal(done.body.activity?.status, 'ACTIVITY_STATUS_COMPLETED', done.text);
    assert.equal(await isOn(), on);
  }
});
