import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Client, resultOf } from '../../support/client.ts';
import { type BadParameters, refused, refusesEach } from '../../support/refusals.ts';
import { RECEIVER } from '../../support/samples.ts';
import { sharedPair, waitsForBoth } from '../support.ts';

const ALLOWED = '127.0.0.1:9010,localhost:9011';
const { instance, pair } = await sharedPair({ OUTBOUND_ALLOW: ALLOWED, LIMIT_WEBHOOK_ENDPOINTS: '4' });
const { root } = instance;

const TYPE = 'CREATE_WEBHOOK_ENDPOINT';
const KEY = 'createWebhookEndpointResult';
const sample = { url: RECEIVER, name: 'Receiver' };

const listed = async (client: Client) => (await client.query('list_webhook_endpoints')).body.webhookEndpoints;

async function deleteAll(): Promise<void> {
  for (const { endpointId } of await listed(root))
    resultOf(await root.submit('DELETE_WEBHOOK_ENDPOINT', { endpointId }), 'deleteWebhookEndpointResult');
}

const subscribed = (...subscriptions: object[]) => ({ ...sample, subscriptions });
const filtered = (filters: unknown) =>
  subscribed({ eventType: 'ACTIVITY_UPDATES', filtersJson: typeof filters === 'string' ? filters : JSON.stringify(filters) });

test('an endpoint is shown as it was sent, is active, and so are its subscriptions', async () => {
  const filtersJson = ' {"activityType": ["ACTIVITY_TYPE_CREATE_USERS_V4", "ACTIVITY_TYPE_COUNTERSIGN_CANCEL_SEND"]}';
  const subscriptions = [
    { eventType: 'ACTIVITY_UPDATES', filtersJson },
    { eventType: 'SEND_TRANSACTION_STATUS_UPDATES', filtersJson: '{}' },
    { eventType: 'BALANCE_CONFIRMED_UPDATES', isActive: false },
    { eventType: 'BALANCE_FINALIZED_UPDATES' },
  ];
  const { endpointId, webhookEndpoint } = resultOf(await root.submit(TYPE, subscribed(...subscriptions)), KEY);
  assert.deepEqual(webhookEndpoint, {
    ...sample,
    endpointId,
    organizationId: root.organizationId,
    isActive: true,
    subscriptions: subscriptions.map((one) => ({ isActive: true, ...one })),
  });
  assert.deepEqual(await listed(root), [webhookEndpoint]);
  assert.deepEqual(resultOf(await root.submit(TYPE, sample), KEY).webhookEndpoint.subscriptions, []);
  await deleteAll();
});

test('hosts that OUTBOUND_ALLOW lists may be private, and called over http', async () => {
  for (const url of ['http://127.0.0.1:9010/hooks', 'https://127.0.0.1:9010', 'http://localhost:9011/?a=b'])
    assert.equal(resultOf(await root.submit(TYPE, { ...sample, url }), KEY).webhookEndpoint.url, url);
  await deleteAll();
});

test('URLs that the service must not call', async () => {
  const https = /^bad request body: parameters\.url: must be an https URL, such as https:\/\/example\.com\/hooks$/;
  const cases: Record<string, RegExp> = {
    'ftp://example.com': https,
    'https:example.com': https,
    'https://': https,
    'https://exa mple.com': https,
    ' https://[2d00::1]': https,
    'https://user@[2d00::1]': /must not have a user name or password$/,
    'https://:password@[2d00::1]': /must not have a user name or password$/,
    'https://[2d00::1]/hooks#top': /must not have a fragment \(#\)$/,
    'https://[2d00::1]/hooks#': /must not have a fragment \(#\)$/,
    'http://[2d00::1]': /must be called over https: the operator of this service can allow it with OUTBOUND_ALLOW$/,
    'http://127.0.0.1:9011': /must be called over https/,
  };
  const hosts = [
    'localhost',
    'localhost:9010',
    '127.0.0.1',
    '0x7f.1',
    '10.0.0.1',
    '169.254.169.254',
    '[fe80::1]',
    '[::ffff:7f00:1]',
  ];
  for (const host of [...hosts, 'metadata.google.internal', 'receiver.invalid'])
    cases[`https://${host}/hooks`] = /has no public address: the operator of this service can allow it with OUTBOUND_ALLOW$/;
  const long: BadParameters = [
    { ...sample, url: `https://[2d00::1]/${'a'.repeat(2048)}` },
    'parameters.url',
    /must have at most 2048 characters$/,
  ];
  const each = Object.entries(cases).map(([url, text]): BadParameters => [{ ...sample, url }, 'parameters.url', text]);
  await refusesEach(root, TYPE, [long, ...each]);
  assert.deepEqual(await listed(root), []);
});

test('filters that are not supported', async () => {
  const field = 'parameters.subscriptions[0].filtersJson';
  const types = /activityType must be a list of at least one activity type, such as ACTIVITY_TYPE_CREATE_WALLET$/;
  const statuses = /activityStatus must be a list of at least one of ACTIVITY_STATUS_CREATED, .*, ACTIVITY_STATUS_REJECTED/;
  const cases: [unknown, RegExp][] = [
    ['', /must be a JSON object: not valid JSON/],
    ['[]', /must be a JSON object$/],
    ['{"activityType":["ACTIVITY_TYPE_CREATE_USERS"],"activityType":[]}', /must be a JSON object: /],
    [{ status: ['x'] }, /supports only activityType and activityStatus$/],
    [{ constructor: ['x'] }, /supports only activityType and activityStatus$/],
    [{ activityType: 'ACTIVITY_TYPE_CREATE_USERS' }, types],
    [{ activityType: ['CREATE_USERS'] }, types],
    [{ activityStatus: [] }, statuses],
    [{ activityStatus: ['ACTIVITY_STATUS_COMPLETED', 7] }, statuses],
    [' '.repeat(4097), /must have at most 4096 characters$/],
  ];
  await refusesEach(
    root,
    TYPE,
    cases.map(([filters, text]) => [filtered(filters), field, text]),
  );
  const filters = JSON.stringify({ activityType: ['ACTIVITY_TYPE_CREATE_USERS'] });
  await refusesEach(root, TYPE, [
    [
      subscribed({ eventType: 'BALANCE_CONFIRMED_UPDATES', filtersJson: filters }),
      field,
      /must be left out: BALANCE_CONFIRMED_UPDATES has no filters$/,
    ],
  ]);
});

test('bad parameters are named', () =>
  refusesEach(root, TYPE, [
    [{ ...sample, name: 'a\nb' }, 'parameters.name', /must not have control characters/],
    [{ ...sample, name: 'a'.repeat(256) }, 'parameters.name', /at most 255 characters/],
    [subscribed({ eventType: 'ACTIVITY_UPDATE' }), 'parameters.subscriptions[0].eventType', /did you mean ACTIVITY_UPDATES\?$/],
    [
      subscribed({ eventType: 'ACTIVITY_UPDATES' }, { eventType: 'ACTIVITY_UPDATES', isActive: false }),
      'parameters.subscriptions[1].eventType',
      /is named twice: give ACTIVITY_UPDATES once$/,
    ],
  ]));

test('a sub-organization subscribes to its activities alone', async () => {
  const sub = (await instance.newSubOrganization('Sub', 1, 1)).clients[0]!;
  for (const eventType of ['SEND_TRANSACTION_STATUS_UPDATES', 'BALANCE_CONFIRMED_UPDATES', 'BALANCE_FINALIZED_UPDATES'])
    refused(await sub.submit(TYPE, subscribed({ eventType: 'ACTIVITY_UPDATES' }, { eventType, isActive: false })), [
      403,
      'REQUEST_NOT_AUTHORIZED',
      new RegExp(`only endpoints of a top-level organization receive ${eventType}: subscribe in the parent organization$`),
    ]);
  assert.deepEqual(await listed(sub), []);
  resultOf(await sub.submit(TYPE, subscribed({ eventType: 'ACTIVITY_UPDATES' })), KEY);
});

test('waits for the second root user, in a sub-organization too', async () => {
  const { webhookEndpoint } = await waitsForBoth(pair, TYPE, sample, KEY);
  assert.equal(webhookEndpoint.organizationId, pair.organizationId);
  assert.deepEqual(await listed(pair.outsider), [webhookEndpoint], 'its users may look');
  assert.deepEqual(await listed(root), [], 'it is not the parent’s');
});

test('an organization has a limit of endpoints, and room again after one was deleted', async () => {
  const ids: string[] = [];
  for (let i = 0; i < 4; i++) ids.push(resultOf(await root.submit(TYPE, sample), KEY).endpointId);
  const full: [number, string, RegExp] = [429, 'UNSPECIFIED', /limit of 4 webhook endpoints \(LIMIT_WEBHOOK_ENDPOINTS\)/];
  refused(await root.submit(TYPE, sample), full);
  resultOf(await root.submit('DELETE_WEBHOOK_ENDPOINT', { endpointId: ids[0] }), 'deleteWebhookEndpointResult');
  resultOf(await root.submit(TYPE, sample), KEY);
});

test('a deleted organization leaves no endpoint', async () => {
  const { organizationId, clients } = await instance.newSubOrganization('Deleted', 1, 1);
  resultOf(await clients[0]!.submit(TYPE, { ...sample, name: 'Deleted receiver' }), KEY);
  const gone = await clients[0]!.submit('DELETE_SUB_ORGANIZATION', { deleteWithoutExport: true });
  resultOf(gone, 'deleteSubOrganizationResult');
  const rows = await instance.raw('SELECT organization_id FROM webhook_endpoints WHERE name = $1', 'Deleted receiver');
  assert.deepEqual(rows, [], organizationId);
});

test('a subscription to balance events is taken with a warning while no chain is scanned', async () => {
  await deleteAll();
  const ofBalances = await root.submit(TYPE, subscribed({ eventType: 'BALANCE_FINALIZED_UPDATES' }));
  assert.match(ofBalances.headers.get('x-warnings')!, /BALANCE_EVENTS_OFF.*BALANCE_FINALIZED_UPDATES.*SCAN/);
  resultOf(ofBalances, KEY);
  const ofActivities = await root.submit(TYPE, subscribed({ eventType: 'ACTIVITY_UPDATES' }));
  assert.equal(ofActivities.headers.get('x-warnings'), null);
});
