import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { WebhookDelivery } from '../../../src/model/webhook-delivery.ts';
import { approvedBy, newPolicy } from '../../e2e/authority.ts';
import { resultOf, submitPath } from '../../support/client.ts';
import { answers, startReceiver } from '../../support/receiver.ts';
import { NOBODY, refused, refusesEach } from '../../support/refusals.ts';
import { waitFor } from '../../support/wait.ts';
import { newDelivery } from '../../support/world/deliveries.ts';
import { agreed, sharedPair } from '../support.ts';

const receiver = await startReceiver();
after(() => receiver.close());
const { instance, pair } = await sharedPair({ OUTBOUND_ALLOW: receiver.host });
const { root, engine } = instance;
const TYPE = 'COUNTERSIGN_RESEND_WEBHOOK_DELIVERIES';
const KEY = 'countersignResendWebhookDeliveriesResult';

async function newEndpoint(path: string): Promise<string> {
  const parameters = { url: `http://${receiver.host}${path}`, name: path };
  return resultOf(await root.submit('CREATE_WEBHOOK_ENDPOINT', parameters), 'createWebhookEndpointResult').endpointId;
}
const newOne = (endpointId: string, facts = {}) => newDelivery({ instance, client: root }, endpointId, facts);
const row = (id: string) => engine.store.read.webhookDeliveries.get(root.organizationId, id);
const bodyOf = async ({ position }: WebhookDelivery) =>
  (await engine.store.read.webhookEvents.at([position]))[0]!.body.toString();
const ended = (id: string) => waitFor('the end', async () => (await row(id))!.endedAt !== null && row(id));

test('the same events are sent again, with their ids and bytes, once for each request', async () => {
  const endpointId = await newEndpoint('/again');
  const some = [await newOne(endpointId), await newOne(endpointId)];
  const deliveryIds = some.map(({ id }) => id);
  const body = root.bodyOf(TYPE, { deliveryIds: [...deliveryIds, deliveryIds[0]] });
  const first = await root.send(submitPath(TYPE), body);
  assert.deepEqual(resultOf(first, KEY), { deliveryIds: [...deliveryIds, deliveryIds[0]] });
  for (const id of deliveryIds) {
    const { status, attempts, lastStatusCode, lastAnswer } = (await ended(id))!;
    assert.deepEqual([status, attempts, lastStatusCode, lastAnswer], ['DELIVERED', 1, 200, 'answered 200']);
  }
  // The list names what the events are about, as before.
  const { webhookDeliveries } = (await root.query('list_webhook_deliveries', { endpointId })).body;
  const shown = new Map(webhookDeliveries.map((one: WebhookDelivery & { deliveryId: string }) => [one.deliveryId, one.subject]));
  for (const { id, subject } of some) assert.equal(shown.get(id), subject);
  // The same body is the same activity.
  assert.equal((await root.send(submitPath(TYPE), body)).body.activity.id, first.body.activity.id);
  // A further event comes after all that the endpoint was given before.
  const last = await newOne(endpointId);
  resultOf(await root.submit(TYPE, { deliveryIds: [last.id] }), KEY);
  await ended(last.id);
  const got = receiver.at('/again').map((one) => [one.eventId, one.body]);
  const expected = await Promise.all([...some, last].map(async (one) => [one.eventId, await bodyOf(one)]));
  assert.deepEqual(got.sort(), expected.sort());
});

test('one that is sent again does not wait for a later event of its subject, which is pending', async () => {
  const endpointId = await newEndpoint('/order');
  const [first, second] = [await newOne(endpointId, { subject: 'a' }), await newOne(endpointId, { subject: 'a' })];
  receiver.behave('/order', (response, { eventId }) =>
    answers(eventId === second.eventId ? 503 : 200)(response, undefined as never),
  );
  resultOf(await root.submit(TYPE, { deliveryIds: [second.id] }), KEY);
  await waitFor('its failure', async () => (await row(second.id))!.lastStatusCode === 503);
  resultOf(await root.submit(TYPE, { deliveryIds: [first.id] }), KEY);
  assert.equal((await ended(first.id))!.status, 'DELIVERED');
  assert.equal((await row(second.id))!.status, 'PENDING');
});

test('one that is sent again after many attempts is retried after five seconds, not after hours', async () => {
  const endpointId = await newEndpoint('/late');
  const { id } = await newOne(endpointId);
  await instance.raw('UPDATE webhook_deliveries SET attempts = 18 WHERE id = $1', id);
  receiver.behave('/late', answers(503));
  resultOf(await root.submit(TYPE, { deliveryIds: [id] }), KEY);
  const { attempts, nextAt, lastAttemptAt, lastDurationMs } = await waitFor('its failure', async () => {
    const one = (await row(id))!;
    return one.lastStatusCode === 503 && one;
  });
  assert.equal(attempts, 1);
  const rest = nextAt! - lastAttemptAt! - lastDurationMs!;
  assert.ok(rest >= 4_000 && rest < 60_000, `${rest} ms`);
});

test('all are refused if one cannot be sent again, and each refusal says what to do', async () => {
  const endpointId = await newEndpoint('/never');
  const good = await newOne(endpointId);
  const update = (isActive: boolean) => root.submit('UPDATE_WEBHOOK_ENDPOINT', { endpointId: paused, isActive });
  const [paused, deleted] = [await newEndpoint('/paused'), await newEndpoint('/deleted')];
  const [ofPaused, ofDeleted, gone] = [await newOne(paused), await newOne(deleted), await newOne(endpointId)];
  await update(false);
  await root.submit('DELETE_WEBHOOK_ENDPOINT', { endpointId: deleted });
  await engine.store.transaction((tx) => tx.webhookEvents.remove([gone.position]));
  const pending = await newOne(paused);
  await engine.store.transaction((tx) => tx.webhookDeliveries.resend(root.organizationId, pending.id, engine.clock.now()));

  for (const [{ id }, why] of [
    [ofPaused, /is paused: resume it first, by UPDATE_WEBHOOK_ENDPOINT with "isActive": true$/],
    [ofDeleted, /webhook endpoint \S+ of this delivery was deleted: leave it out$/],
    [gone, /event \S+ is no longer kept, so its body cannot be sent again: leave it out$/],
    [pending, /is pending, and is sent without a request: leave it out$/],
  ] as const)
    refused(await root.submit(TYPE, { deliveryIds: [good.id, id] }), [400, 'REQUEST_INVALID', why], 'parameters.deliveryIds[1]');
  refused(await root.submit(TYPE, { deliveryIds: [good.id, NOBODY] }), [
    404,
    'UNSPECIFIED',
    new RegExp(`^webhook delivery not found: parameters.deliveryIds names ${NOBODY}$`),
  ]);
  assert.deepEqual(await row(good.id), good);
  await update(true);
  resultOf(await root.submit(TYPE, { deliveryIds: [ofPaused.id] }), KEY);
  await ended(ofPaused.id);
  assert.deepEqual(receiver.at('/never'), []);
});

test('a delivery of another organization is unknown', async () => {
  const { id } = await newOne(await newEndpoint('/foreign'));
  const { activity } = (await agreed(pair, TYPE, { deliveryIds: [id] })).body;
  assert.match(activity.failure.message, /^webhook delivery not found/);
});

test('a policy for an endpoint does not allow it, and one that names the deliveries does', async () => {
  const endpointId = await newEndpoint('/policy');
  const { id } = await newOne(endpointId);
  const { client, userId } = await instance.newUser('Keeper');
  const allow = (condition: string) => newPolicy(root, { condition, consensus: approvedBy(userId) });
  await allow(`activity.resource == 'WEBHOOK_ENDPOINT' && activity.params.endpoint_id == '${endpointId}'`);
  refused(await client.submit(TYPE, { deliveryIds: [id] }), [403, 'REQUEST_NOT_AUTHORIZED', /./]);
  await allow(`activity.action == 'UPDATE' && activity.params.delivery_ids.all(one, one == '${id}')`);
  resultOf(await client.submit(TYPE, { deliveryIds: [id] }), KEY);
});

test('bad parameters are named', () =>
  refusesEach(root, TYPE, [
    [{ deliveryIds: [] }, 'parameters.deliveryIds', /must name at least one delivery/],
    [{ deliveryIds: Array.from({ length: 101 }, () => NOBODY) }, 'parameters.deliveryIds', /100/],
    [{ deliveryIds: ['x'] }, 'parameters.deliveryIds[0]', /must be a UUID/],
  ]));
