import assert from 'node:assert/strict';
import { test } from 'node:test';
import { signWei, wei, weiControl } from '../../activities/velocity-controls/spends.ts';
import { aggregation, method, operator, velocityControl } from '../../activities/velocity-controls/support.ts';
import { newWallet } from '../../e2e/authority.ts';
import { type Client, resultOf } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';
import { RECEIVER } from '../../support/samples.ts';
import { waitFor } from '../../support/wait.ts';

const instance = await sharedInstance();
const EVENT = 'COUNTERSIGN_VELOCITY_NEARLY_FULL';
const subscribed = { url: RECEIVER, name: 'Receiver', subscriptions: [{ eventType: EVENT }] };

let places = 0;

async function place(): Promise<{ client: Client; address: string; walletId: string }> {
  const { clients } = await instance.newSubOrganization(`Nearly full ${++places}`, 1, 1);
  const { walletId, addresses } = await newWallet(clients[0]!);
  return { client: clients[0]!, address: addresses[0]!, walletId };
}

async function control(client: Client, parameters: object): Promise<string> {
  return resultOf(await client.submit('CREATE_VELOCITY_CONTROL', parameters), 'createVelocityControlResult').velocityControlId;
}

const listen = async (client: Client): Promise<void> => {
  resultOf(await client.submit('CREATE_WEBHOOK_ENDPOINT', subscribed), 'createWebhookEndpointResult');
};

async function sign(client: Client, address: string, value: bigint): Promise<string> {
  const answer = await client.submit('SIGN_TRANSACTION_V2', signWei(address, value));
  assert.equal(answer.status, 200, answer.text);
  return answer.body.activity.id;
}

/** The events of an organization, in their order. */
// biome-ignore lint/suspicious/noExplicitAny: events are looked into freely
async function told({ organizationId }: Client): Promise<any[]> {
  const rows = (await instance.raw('SELECT body FROM webhook_events WHERE event_type = $1 ORDER BY position', EVENT)) as {
    body: Buffer;
  }[];
  return rows.map(({ body }) => JSON.parse(body.toString())).filter((one) => one.organizationId === organizationId);
}

test('a bucket that passes 80 % is told once, and again after it was below', async () => {
  const { client, address, walletId } = await place();
  const terms = { window: { rolling: { duration: '3600' } }, groupBy: { wallet: {} } };
  const velocityControlId = await control(client, weiControl('hourly', 10n, {}, terms));
  await sign(client, address, 8n);
  assert.deepEqual(await told(client), [], 'no endpoint listens');
  instance.clock.advance(3_700_000);
  await listen(client);
  await sign(client, address, 7n);
  assert.deepEqual(await told(client), [], '70 %');
  const activityId = await sign(client, address, 1n);
  await sign(client, address, 1n);
  const [{ msg, ...event }, ...more] = await told(client);
  const { organizationId } = client;
  const { body } = await instance.root.query('whoami');
  assert.deepEqual(
    [event, more],
    [{ type: 'countersign:velocity-nearly-full', organizationId, parentOrganizationId: body.organizationId }, []],
  );
  const { idempotencyKey, timestamp, ...facts } = msg;
  assert.deepEqual(facts, {
    ...{ velocityControlId, identifier: 'hourly', bucket: walletId, activityId },
    ...{ counted: wei(8n), left: wei(2n), threshold: '0.00000000000000001' },
  });
  assert.match(idempotencyKey, /^[0-9a-f]{64}$/);
  assert.equal(typeof timestamp, 'number');
  instance.clock.advance(3_700_000);
  await sign(client, address, 9n);
  assert.equal((await told(client)).length, 2);
});

test('signatures at once, and activities with other writes, make one event for each crossing', async () => {
  const { client, address } = await place();
  await listen(client);
  await control(client, weiControl('at_once', 20n));
  await Promise.all(Array.from({ length: 20 }, () => sign(client, address, 1n)));
  const [{ msg }, ...more] = await told(client);
  assert.deepEqual([msg.counted, more], [wei(16n), []]);
  const executed = { activityExecution: { filter: { activity: [{ activityType: 'ACTIVITY_TYPE_CREATE_WALLET' }] } } };
  const counting = aggregation({ method: method('COUNT'), threshold: '5' });
  await control(client, velocityControl({ identifier: 'new_wallets', dataSource: executed, aggregation: counting }));
  for (let i = 0; i < 5; i++) await newWallet(client);
  const last = (await told(client)).map((one) => [one.msg.identifier, one.msg.counted]);
  assert.deepEqual(last, [
    ['at_once', wei(16n)],
    ['new_wallets', '4'],
  ]);
});

test('refusals are a metric', async () => {
  const { client, address } = await place();
  await control(client, weiControl('refusing', 1n, { countersign: { enforcement: 'ALWAYS' } }));
  assert.equal((await client.submit('SIGN_TRANSACTION_V2', signWei(address, 2n))).status, 403);
  const page = await (await fetch(`${instance.url}/metrics`)).text();
  assert.match(page, /countersign_velocity_refusals_total\{code="VELOCITY_CONTROL_EXCEEDED"\} 1\n/);
  assert.match(page, /countersign_velocity_refusals_total\{code="VELOCITY_NOT_READABLE"\} 0\n/);
});

test('a parent hears of its sub-organizations, and a control that is no limit is never told', async () => {
  const { client, address } = await place();
  await listen(instance.root);
  await control(client, weiControl('limit', 10n));
  await control(client, weiControl('report', 10n, {}, { operator: operator('GREATER_THAN') }));
  await control(client, weiControl('each', 10n, { countersign: { window: { transaction: {} } } }, { window: { infinite: {} } }));
  await sign(client, address, 9n);
  const events = await told(client);
  assert.deepEqual(
    events.map(({ msg }) => msg.identifier),
    ['limit'],
  );
  await waitFor('its delivery', async () => {
    const { webhookDeliveries } = (await instance.root.query('list_webhook_deliveries')).body;
    return webhookDeliveries.some((one: { eventType: string }) => one.eventType === EVENT);
  });
});
