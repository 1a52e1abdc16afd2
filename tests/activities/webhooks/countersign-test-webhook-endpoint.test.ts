import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { approvedBy, newPolicy } from '../../e2e/authority.ts';
import { type Client, resultOf } from '../../support/client.ts';
import { startReceiver, verified, webhookKeysOf } from '../../support/receiver.ts';
import { NOBODY, refused } from '../../support/refusals.ts';
import { waitFor } from '../../support/wait.ts';
import { agreed, sharedPair } from '../support.ts';

const receiver = await startReceiver();
after(() => receiver.close());
const { instance, pair } = await sharedPair({ OUTBOUND_ALLOW: receiver.host });
const { root, clock } = instance;
const TYPE = 'COUNTERSIGN_TEST_WEBHOOK_ENDPOINT';
const KEY = 'countersignTestWebhookEndpointResult';

async function newEndpoint(client: Client, path: string, eventTypes: readonly string[] = []): Promise<string> {
  const subscriptions = eventTypes.map((eventType) => ({ eventType }));
  const parameters = { url: `http://${receiver.host}${path}`, name: path, subscriptions };
  return resultOf(await client.submit('CREATE_WEBHOOK_ENDPOINT', parameters), 'createWebhookEndpointResult').endpointId;
}
const testsAt = (path: string) =>
  receiver.at(path).filter(({ headers }) => headers['x-turnkey-event-type'] === 'COUNTERSIGN_TEST');
const deliveries = async (endpointId: string) =>
  (await root.query('list_webhook_deliveries', { endpointId })).body.webhookDeliveries;

test('an endpoint without subscriptions gets a signed event of its own, and no other endpoint does', async () => {
  const other = await newEndpoint(root, '/other', ['ACTIVITY_UPDATES']);
  const endpointId = await newEndpoint(root, '/test');
  const answer = await root.submit(TYPE, { endpointId });
  const { eventId, ...rest } = resultOf(answer, KEY);
  assert.deepEqual(rest, { endpointId });
  const one = await waitFor('the test', () => testsAt('/test')[0]);
  const checked = verified(one, await webhookKeysOf(instance.url), clock.now());
  assert.equal(checked.ok && checked.eventId, eventId);
  const { timestamp, ...msg } = JSON.parse(one.body).msg;
  const { organizationId } = root;
  assert.deepEqual(JSON.parse(one.body), {
    type: 'countersign:test',
    organizationId,
    parentOrganizationId: organizationId,
    msg: { ...msg, timestamp },
  });
  assert.deepEqual(msg, { endpointId, activityId: answer.body.activity.id });
  assert.ok(Math.abs(timestamp * 1000 - clock.now()) < 60_000);
  const [listed] = await waitFor('its record', async () => {
    const all = await deliveries(endpointId);
    return all[0]?.status === 'DELIVERED' && all;
  });
  assert.deepEqual([listed.eventId, listed.eventType, listed.lastAttempt.statusCode], [eventId, 'COUNTERSIGN_TEST', 200]);
  assert.deepEqual(testsAt('/other'), []);
  assert.deepEqual(
    (await deliveries(other)).filter((row: { eventType: string }) => row.eventType === 'COUNTERSIGN_TEST'),
    [],
  );
});

test('endpoints of a parent do not get the test of a sub-organization', async () => {
  await newEndpoint(root, '/parent', ['ACTIVITY_UPDATES']);
  const { clients } = await instance.newSubOrganization('Child', 1, 1);
  const child = clients[0]!;
  const endpointId = await newEndpoint(child, '/child');
  resultOf(await child.submit(TYPE, { endpointId }), KEY);
  const one = await waitFor('the test', () => testsAt('/child')[0]);
  const { organizationId, parentOrganizationId } = JSON.parse(one.body);
  assert.deepEqual([organizationId, parentOrganizationId], [child.organizationId, root.organizationId]);
  assert.equal(one.headers['x-turnkey-organization-id'], child.organizationId);
  assert.deepEqual(testsAt('/parent'), []);
});

test('an endpoint that is paused, unknown, or of another organization is refused', async () => {
  const endpointId = await newEndpoint(root, '/paused');
  await root.submit('UPDATE_WEBHOOK_ENDPOINT', { endpointId, isActive: false });
  refused(
    await root.submit(TYPE, { endpointId }),
    [400, 'REQUEST_INVALID', /is paused: resume it first, by UPDATE_WEBHOOK_ENDPOINT with "isActive": true$/],
    'parameters.endpointId',
  );
  const missing = /^webhook endpoint not found: parameters\.endpointId names /;
  refused(await root.submit(TYPE, { endpointId: NOBODY }), [404, 'UNSPECIFIED', missing]);
  assert.match((await agreed(pair, TYPE, { endpointId })).body.activity.failure.message, missing);
});

test('a policy that names an endpoint allows its test alone', async () => {
  const [mine, other] = [await newEndpoint(root, '/mine'), await newEndpoint(root, '/others')];
  const { client, userId } = await instance.newUser('Keeper');
  const condition = `activity.action == 'UPDATE' && activity.params.endpoint_id == '${mine}'`;
  await newPolicy(root, { condition, consensus: approvedBy(userId) });
  resultOf(await client.submit(TYPE, { endpointId: mine }), KEY);
  refused(await client.submit(TYPE, { endpointId: other }), [403, 'REQUEST_NOT_AUTHORIZED', /./]);
});
