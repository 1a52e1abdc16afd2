import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { webhooksCommand } from '../../src/cli/webhooks.ts';
import { cli } from '../support/cli.ts';
import { resultOf } from '../support/client.ts';
import { sharedInstance } from '../support/instance.ts';
import { answers, startReceiver } from '../support/receiver.ts';
import { NOBODY } from '../support/refusals.ts';
import { waitFor } from '../support/wait.ts';
import { newDelivery } from '../support/world/deliveries.ts';

const receiver = await startReceiver();
after(() => receiver.close());
const instance = await sharedInstance({ OUTBOUND_ALLOW: receiver.host });
const { root } = instance;

async function webhooks(...args: string[]): Promise<{ code: number; text: string; complaint: string }> {
  const credentials = join(instance.dataDir, 'root-credentials.json');
  const { code, out, err } = await cli(['webhooks', ...args, '--url', instance.url, '--credentials', credentials]);
  return { code, text: out, complaint: err };
}

const urlOf = (path: string) => `http://${receiver.host}${path}`;
async function newEndpoint(path: string, more: object = {}): Promise<string> {
  const made = await root.submit('CREATE_WEBHOOK_ENDPOINT', { url: urlOf(path), name: path, ...more });
  return resultOf(made, 'createWebhookEndpointResult').endpointId;
}

test('endpoints, and deliveries by endpoint and status, page by page', async () => {
  assert.equal((await webhooks('list')).text, 'There are no webhook endpoints.\n');
  const subscriptions = [{ eventType: 'SEND_TRANSACTION_STATUS_UPDATES' }, { eventType: 'ACTIVITY_UPDATES', isActive: false }];
  const [one, two] = [await newEndpoint('/one', { subscriptions }), await newEndpoint('/two')];
  await root.submit('UPDATE_WEBHOOK_ENDPOINT', { endpointId: two, isActive: false });
  assert.equal(
    (await webhooks('list')).text,
    `${one}  active  /one  ${urlOf('/one')}  SEND_TRANSACTION_STATUS_UPDATES\n${two}  paused  /two  ${urlOf('/two')}  no subscriptions\n`,
  );
  assert.deepEqual(JSON.parse((await webhooks('list', '--json')).text).webhookEndpoints.length, 2);

  const made = [await newDelivery({ instance, client: root }, one), await newDelivery({ instance, client: root }, one)];
  const lines = made.map(
    ({ id, createdAt }) =>
      `${id}  ${new Date(createdAt).toISOString()}  DEAD  ACTIVITY_UPDATES  to ${one}  1 attempt  404 after 12 ms: nobody here\n`,
  );
  const all = await webhooks('deliveries', '--endpoint', one, '--state', 'dead');
  assert.deepEqual([all.code, all.text, all.complaint], [0, lines[1]! + lines[0]!, '']);
  const first = await webhooks('deliveries', '--limit', '1');
  assert.equal(first.text, `${lines[1]}There may be more: --after ${made[1]!.id}\n`);
  const second = JSON.parse((await webhooks('deliveries', '--limit', '2', '--after', made[1]!.id, '--json')).text);
  assert.deepEqual(
    [second.webhookDeliveries[0].deliveryId, second.webhookDeliveries.length, second.next],
    [made[0]!.id, 1, null],
  );
  assert.equal((await webhooks('deliveries', '--endpoint', two)).text, 'There are no such deliveries.\n');
});

test('deliveries are sent again, or refused', async () => {
  const endpointId = await newEndpoint('/again');
  const some = [
    await newDelivery({ instance, client: root }, endpointId),
    await newDelivery({ instance, client: root }, endpointId),
  ];
  const done = await webhooks('resend', ...some.map(({ id }) => id));
  assert.deepEqual([done.code, done.text], [0, '2 deliveries are sent again: see countersign webhooks deliveries\n']);
  await waitFor('both', () => receiver.taken('/again').length === 2);
  const refusal = await webhooks('resend', NOBODY);
  assert.equal(refusal.code, 1);
  assert.match(refusal.complaint, /webhook delivery not found/);
});

test('a test is sent, and with --wait its outcome is the exit code', async () => {
  const endpointId = await newEndpoint('/test');
  const sent = await webhooks('test', endpointId);
  assert.equal(sent.code, 0, sent.complaint);
  assert.match(sent.text, /^Event \S+ is sent: see countersign webhooks deliveries --endpoint \S+\n$/);
  const taken = await webhooks('test', endpointId, '--wait');
  assert.equal(taken.code, 0, taken.complaint);
  assert.match(taken.text, / {2}DELIVERED {2}COUNTERSIGN_TEST {2}to \S+ {2}1 attempt {2}200 after \d+ ms: answered 200\n$/);
  receiver.behave('/test', answers(404));
  const refused = await webhooks('test', endpointId, '--wait', '--json');
  const { eventId, delivery } = JSON.parse(refused.text);
  assert.deepEqual([refused.code, delivery.eventId, delivery.lastAttempt.statusCode], [1, eventId, 404]);
});

test('with --wait a test ends after a minute without an attempt', async () => {
  receiver.behave('/hangs', () => {});
  const endpointId = await newEndpoint('/hangs');
  const credentials = join(instance.dataDir, 'root-credentials.json');
  const options = { url: instance.url, credentials, wait: true, json: false, 'dry-run': false };
  let looks = 0;
  // From the third look on, a minute has passed.
  const now = () => instance.clock.now() + (++looks > 2 ? 60_000 : 0);
  await assert.rejects(
    webhooksCommand(['test', endpointId], now, options),
    /^UsageError: no attempt within 60 s: the endpoint may/,
  );
});

test('wrong usage', async () => {
  const cases: [string[], RegExp][] = [
    [['list', 'x'], /^countersign webhooks list takes no "x": see countersign webhooks --help/],
    [['deliveries', '--state', 'done'], /^--state must be one of PENDING, DELIVERED, DEAD, not "done"/],
    [['deliveries', '--endpoint', 'x'], /^--endpoint must be an id, not "x"/],
    [['resend'], /^name a delivery: countersign webhooks resend DELIVERY_ID\.\.\./],
    [['resend', 'x'], /^DELIVERY_ID must be an id, not "x"/],
    [['test'], /^name an endpoint: countersign webhooks test ENDPOINT_ID/],
    [['drop'], /^there is no "webhooks drop": see countersign webhooks --help/],
  ];
  for (const [args, text] of cases) {
    const { code, complaint } = await webhooks(...args);
    assert.equal(code, 2, complaint);
    assert.match(complaint, text);
  }
});
