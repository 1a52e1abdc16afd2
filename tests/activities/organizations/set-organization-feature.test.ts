import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { approvedBy } from '../../e2e/authority.ts';
import { newKeys, resultOf, userWith } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';
import { startReceiver, verified, webhookKeysOf } from '../../support/receiver.ts';
import { refused, refusesEach } from '../../support/refusals.ts';
import { RECEIVER } from '../../support/samples.ts';
import { waitFor } from '../../support/wait.ts';

const receiver = await startReceiver();
after(() => receiver.close());
const instance = await sharedInstance({ OUTBOUND_ALLOW: receiver.host });

const TYPE = 'SET_ORGANIZATION_FEATURE';
const KEY = 'setOrganizationFeatureResult';
const MAIL = 'FEATURE_NAME_EMAIL_AUTH';
const HOOK = 'FEATURE_NAME_WEBHOOK';

test('switched on, and given another value', async () => {
  const { root } = instance;
  const set = async (name: string, value: string) => resultOf(await root.submit(TYPE, { name, value }), KEY).features;
  const start = [MAIL, 'FEATURE_NAME_OTP_EMAIL_AUTH'].map((name) => ({ name, value: '' }));
  assert.deepEqual(await set(HOOK, `${RECEIVER}/a`), [...start, { name: HOOK, value: `${RECEIVER}/a` }]);
  const sms = { name: 'FEATURE_NAME_SMS_AUTH', value: '' };
  const all = [...start, sms, { name: HOOK, value: `${RECEIVER}/a` }];
  assert.deepEqual(await set(sms.name, ''), all);
  assert.deepEqual((await root.query('get_organization_configs')).body.configs.features, all);
  assert.deepEqual((await set(HOOK, `${RECEIVER}/b`))[3].value, `${RECEIVER}/b`);
});

test('allowed origins are kept as browsers write them', async () => {
  const name = 'FEATURE_NAME_WEBAUTHN_ORIGINS';
  const sent = { name, value: 'https://Example.com:443/ , http://localhost:3000,https://example.com' };
  const { features } = resultOf(await instance.root.submit(TYPE, sent), KEY);
  assert.deepEqual(
    features.find((feature: { name: string }) => feature.name === name),
    { name, value: 'https://example.com,http://localhost:3000' },
  );
  for (const value of ['', ',', 'example.com', 'https://example.com,', 'http://example.com', 'https://example.com/login'])
    refused(await instance.root.submit(TYPE, { name, value }), [400, 'REQUEST_INVALID', /must be an origin/], 'parameters.value');
});

test('what it switches on works at once', async () => {
  const user = { ...userWith('Mail', []), userEmail: 'a@example.com', userTags: [] };
  const sub = await instance.newSubOrganization('Features', 1, 1);
  const [root] = sub.clients;
  resultOf(await root!.submit('REMOVE_ORGANIZATION_FEATURE', { name: MAIL }), 'removeOrganizationFeatureResult');
  const otp = { name: 'FEATURE_NAME_OTP_EMAIL_AUTH' };
  resultOf(await root!.submit('REMOVE_ORGANIZATION_FEATURE', otp), 'removeOrganizationFeatureResult');
  const answer = await root!.submit('CREATE_USERS_V4', { users: [user] });
  refused(answer, [400, 'REQUEST_INVALID', /at least one valid credential/]);
  resultOf(await root!.submit(TYPE, { name: MAIL, value: '' }), KEY);
  resultOf(await root!.submit('CREATE_USERS_V4', { users: [user] }), 'createUsersResult');
});

test('the URL of FEATURE_NAME_WEBHOOK gets activities until the feature is removed, signed and listed as deliveries', async () => {
  const { organizationId, clients } = await instance.newSubOrganization('Hooked', 1, 1);
  const client = clients[0]!;
  const set = async (path: string) =>
    resultOf(await client.submit(TYPE, { name: HOOK, value: `http://${receiver.host}${path}` }), KEY);
  let wallets = 0;
  const act = async () => (await client.submit('CREATE_WALLET', { walletName: `${++wallets}`, accounts: [] })).body.activity.id;
  const arrives = (path: string, id: string) =>
    waitFor('its event', () => receiver.taken(path).find(({ body }) => JSON.parse(body).id === id));
  await set('/feature');
  const one = await arrives('/feature', await act());
  assert.equal(one.headers['x-turnkey-organization-id'], organizationId);
  assert.equal(one.headers['x-turnkey-event-type'], 'ACTIVITY_UPDATES');
  assert.equal(verified(one, await webhookKeysOf(instance.url), instance.clock.now()).ok, true);
  assert.deepEqual((await client.query('list_webhook_endpoints')).body, { webhookEndpoints: [] });
  const { webhookDeliveries } = (await client.query('list_webhook_deliveries', { endpointId: organizationId })).body;
  assert.equal(webhookDeliveries[0].endpointId, organizationId);

  const url = RECEIVER;
  const endpointId = organizationId;
  const instead = /is of FEATURE_NAME_WEBHOOK: use SET_ORGANIZATION_FEATURE or REMOVE_ORGANIZATION_FEATURE in its place/;
  refused(
    await client.submit('UPDATE_WEBHOOK_ENDPOINT', { endpointId, url }),
    [400, 'REQUEST_INVALID', instead],
    'parameters.url',
  );
  refused(
    await client.submit('DELETE_WEBHOOK_ENDPOINT', { endpointId }),
    [400, 'REQUEST_INVALID', instead],
    'parameters.endpointId',
  );
  resultOf(await client.submit('UPDATE_WEBHOOK_ENDPOINT', { endpointId, isActive: false }), 'updateWebhookEndpointResult');
  await set('/changed');
  await arrives('/changed', await act());

  resultOf(await client.submit('REMOVE_ORGANIZATION_FEATURE', { name: HOOK }), 'removeOrganizationFeatureResult');
  resultOf(await client.submit('REMOVE_ORGANIZATION_FEATURE', { name: HOOK }), 'removeOrganizationFeatureResult');
  const last = await act();
  // Deliveries are made after an event, for those that receive it then.
  const { store } = instance.engine;
  await waitFor('all events to be looked at', async () => (await store.read.webhookEvents.waiting(1)).length === 0);
  await set('/again');
  const next = await act();
  await arrives('/again', next);
  assert.ok(!receiver.received.some(({ body }) => JSON.parse(body).id === last));
});

test('no policy grants it', async () => {
  const keys = newKeys();
  const { userId } = await instance.newUser('Policy', { apiKeys: userWith('', [keys]).apiKeys });
  const consensus = approvedBy(userId);
  const allow = { policyName: 'everything', effect: 'EFFECT_ALLOW', consensus, notes: '' };
  resultOf(await instance.root.submit('CREATE_POLICY_V3', allow), 'createPolicyResult');
  const answer = await instance.root.as(keys).submit(TYPE, { name: MAIL, value: '' });
  refused(answer, [403, 'REQUEST_NOT_AUTHORIZED', /sufficient permissions/]);
});

test('bad parameters are named', () =>
  refusesEach(instance.root, TYPE, [
    [{ name: HOOK, value: 'http://example.com' }, 'parameters.value', /example\.com must be called over https/],
    [{ name: HOOK, value: 'https://10.0.0.1/' }, 'parameters.value', /10\.0\.0\.1 has no public address/],
    ...['', 'example.com', 'ftp://localhost/'].map(
      (value) => [{ name: HOOK, value }, 'parameters.value', /must be an https URL/] as [object, string, RegExp],
    ),
    [{ name: MAIL, value: 'x'.repeat(5000) }, 'parameters.value', /4096/],
  ]));
