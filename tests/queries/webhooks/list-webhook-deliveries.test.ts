import assert from 'node:assert/strict';
import { test } from 'node:test';
import { wireTimestamp } from '../../../src/base/time.ts';
import type { WebhookDelivery } from '../../../src/model/webhook-delivery.ts';
import { listWebhookDeliveries } from '../../../src/queries/webhooks/list-webhook-deliveries.ts';
import { resultOf } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';
import { refusesEachQuery } from '../../support/refusals.ts';
import { RECEIVER } from '../../support/samples.ts';
import { waitFor } from '../../support/wait.ts';
import { newDelivery } from '../../support/world/deliveries.ts';

const instance = await sharedInstance();
const { root, clock, engine } = instance;
const NAME = 'list_webhook_deliveries';
const DAY = 24 * 3_600_000;

async function newEndpoint(name: string, isActive = true): Promise<string> {
  const made = await root.submit('CREATE_WEBHOOK_ENDPOINT', { url: RECEIVER, name });
  const { endpointId } = resultOf(made, 'createWebhookEndpointResult');
  if (!isActive) await root.submit('UPDATE_WEBHOOK_ENDPOINT', { endpointId, isActive });
  return endpointId;
}
const [one, two] = [await newEndpoint('one'), await newEndpoint('two', false)];
/** Oldest first. */
const made: WebhookDelivery[] = [];
for (const endpointId of [one, two, one, two, one]) {
  made.push(await newDelivery({ instance, client: root }, endpointId));
  clock.advance(10);
}
/** Its endpoint is paused, so it waits. */
await engine.store.transaction((tx) => tx.webhookDeliveries.resend(root.organizationId, made[3]!.id, clock.now()));

/** By their place in `made`. */
async function listed(parameters: object): Promise<number[]> {
  const { status, body, text } = await root.query(NAME, parameters);
  assert.equal(status, 200, text);
  assert.deepEqual(listWebhookDeliveries.result.parse(body), body, 'the answer has its declared shape');
  return body.webhookDeliveries.map(({ deliveryId }: { deliveryId: string }) => made.findIndex(({ id }) => id === deliveryId));
}

test('a row has its event, the last attempt and the times', async () => {
  const [first, , , fourth] = made as [WebhookDelivery, unknown, unknown, WebhookDelivery];
  const at = wireTimestamp(first.createdAt);
  const rows = (await root.query(NAME, { paginationOptions: { limit: '100' } })).body.webhookDeliveries;
  const lastAttempt = { attemptedAt: at, durationMs: 12, statusCode: 404, answer: 'nobody here' };
  assert.deepEqual(rows[4], {
    deliveryId: first.id,
    organizationId: root.organizationId,
    endpointId: one,
    eventId: first.eventId,
    eventType: 'ACTIVITY_UPDATES',
    subject: first.subject,
    status: 'DEAD',
    attempts: 1,
    lastAttempt,
    createdAt: at,
    endedAt: at,
  });
  const { status, nextAttemptAt, endedAt } = rows[1];
  assert.deepEqual([status, endedAt, typeof nextAttemptAt.seconds], ['PENDING', undefined, 'string']);
  assert.equal(rows[1].deliveryId, fourth.id);
});

test('newest first, by endpoint, by status and by both', async () => {
  assert.deepEqual(await listed({}), [4, 3, 2, 1, 0]);
  assert.deepEqual(await listed({ endpointId: one }), [4, 2, 0]);
  assert.deepEqual(await listed({ status: 'DEAD' }), [4, 2, 1, 0]);
  assert.deepEqual(await listed({ endpointId: two, status: 'PENDING' }), [3]);
  assert.deepEqual(await listed({ endpointId: two, status: 'DELIVERED' }), []);
});

test('page by page, forward and back', async () => {
  const page = (more: object) => listed({ status: 'DEAD', paginationOptions: { limit: '2', ...more } });
  assert.deepEqual(await page({}), [4, 2]);
  assert.deepEqual(await page({ after: made[2]!.id }), [1, 0]);
  assert.deepEqual(await page({ before: made[0]!.id }), [2, 1]);
  assert.deepEqual(await page({ after: made[4]!.id, before: made[1]!.id }), [2]);
});

test('other organizations see their own', async () => {
  const other = (await instance.newSubOrganization('Other', 1, 1)).clients[0]!;
  for (const parameters of [{}, { endpointId: one }])
    assert.deepEqual((await other.query(NAME, parameters)).body, { webhookDeliveries: [] });
});

test('bad parameters are named', () =>
  refusesEachQuery(root, NAME, [
    [{ status: 'dead' }, 'status', /must be one of PENDING, DELIVERED, DEAD; did you mean DEAD\?/],
    [{ endpointId: 'x' }, 'endpointId', /must be a UUID/],
    [{ paginationOptions: { limit: '101' } }, 'paginationOptions.limit', /from 1 to 100/],
  ]));

test('deliveries are kept for 30 days after they ended', async () => {
  clock.advance(30 * DAY - 60_000);
  assert.deepEqual(await listed({ endpointId: one }), [4, 2, 0]);
  clock.advance(2 * 60_000);
  await waitFor('the sweep', async () => (await listed({ endpointId: one })).length === 0);
});
