/** The example receiver against the service. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, test } from 'node:test';
import { type Activity, described, type Payload } from '../../examples/webhook-receiver/events.ts';
import { type Inbox, inboxAt } from '../../examples/webhook-receiver/inbox.ts';
import { keysOf } from '../../examples/webhook-receiver/keys.ts';
import { type Receiver, receiver } from '../../examples/webhook-receiver/receive.ts';
import { signWei, weiControl } from '../activities/velocity-controls/spends.ts';
import { resultOf } from '../support/client.ts';
import { freePort } from '../support/free-port.ts';
import { sharedInstance } from '../support/instance.ts';
import { waitFor } from '../support/wait.ts';
import { newWallet } from './authority.ts';

const port = await freePort();
const hook = `http://127.0.0.1:${port}/hooks`;
const instance = await sharedInstance({ OUTBOUND_ALLOW: `127.0.0.1:${port}` });
const { root, clock } = instance;
const folder = mkdtempSync(join(tmpdir(), 'countersign-receiver-'));
after(() => rmSync(folder, { recursive: true, force: true }));

let open: { one: Receiver; inbox: Inbox } | undefined;
async function stop(): Promise<void> {
  await open?.one.close();
  open?.inbox.close();
  open = undefined;
}
afterEach(stop);

/** A process of the receiver, with the inbox of the one before. */
async function start(handle: (payload: Payload) => Promise<void>): Promise<void> {
  const inbox = inboxAt(join(folder, 'inbox.db'));
  const one = receiver({ keys: keysOf(instance.url, clock.now), inbox, path: '/hooks', handle, now: clock.now });
  open = { one, inbox };
  await new Promise<void>((listening) => one.server.listen(port, '127.0.0.1', listening));
  one.resume();
}

const parameters = { name: 'Example', url: hook, subscriptions: [{ eventType: 'ACTIVITY_UPDATES' }] };
resultOf(await root.submit('CREATE_WEBHOOK_ENDPOINT', parameters), 'createWebhookEndpointResult');
let wallets = 0;
const act = async (): Promise<string> =>
  (await root.submit('CREATE_WALLET', { walletName: `${++wallets}`, accounts: [] })).body.activity.id;
const delivered = (activityId: string) =>
  waitFor('its delivery', async () => {
    const { webhookDeliveries } = (await root.query('list_webhook_deliveries')).body;
    const ids = await instance.raw(`SELECT id FROM webhook_events WHERE subject = '${activityId}'`);
    return webhookDeliveries.find(
      (one: { eventId: string; status: string }) => one.status === 'DELIVERED' && ids.some(({ id }) => id === one.eventId),
    );
  });

test('an event is answered before it is handled, and one that comes again is not handled again', async () => {
  const handled: string[] = [];
  const { promise: end, resolve } = Promise.withResolvers<void>();
  await start(async (payload) => {
    await end;
    handled.push((payload as Activity).id);
  });
  const id = await act();
  const { deliveryId, lastAttempt } = await delivered(id);
  assert.deepEqual([lastAttempt.statusCode, handled], [200, []]);
  resolve();
  await waitFor('its work', () => handled.includes(id));
  const again = () => root.submit('COUNTERSIGN_RESEND_WEBHOOK_DELIVERIES', { deliveryIds: [deliveryId] });
  resultOf(await again(), 'countersignResendWebhookDeliveriesResult');
  const last = await act();
  await waitFor('a later one', () => handled.includes(last));
  const repeated = await delivered(id);
  assert.notDeepEqual(repeated.lastAttempt.attemptedAt, lastAttempt.attemptedAt);
  assert.equal(handled.filter((one) => one === id).length, 1);
});

test('an event that was answered and not handled is handled by the next process', async () => {
  await start(() => Promise.reject(new Error('no database')));
  const id = await act();
  await delivered(id);
  await stop();
  const handled: string[] = [];
  await start(async (payload) => void handled.push((payload as Activity).id));
  await waitFor('its work', () => handled.includes(id));
});

test('an event of each type is handled, and one of a type that the program does not know', async () => {
  const lines: string[] = [];
  await start(async (payload) => void lines.push(described(payload)));
  const limits = { name: 'Limits', url: hook, subscriptions: [{ eventType: 'COUNTERSIGN_VELOCITY_NEARLY_FULL' }] };
  resultOf(await root.submit('CREATE_WEBHOOK_ENDPOINT', limits), 'createWebhookEndpointResult');
  resultOf(await root.submit('CREATE_VELOCITY_CONTROL', weiControl('hourly', 10n)), 'createVelocityControlResult');
  const { addresses } = await newWallet(root);
  const { id } = (await root.submit('SIGN_TRANSACTION_V2', signWei(addresses[0]!, 9n))).body.activity;
  await waitFor('the limit', () => lines.includes('limit hourly: 0.000000000000000009 of 0.00000000000000001 are counted'));
  await waitFor('its signature', () => lines.some((line) => line.startsWith(`activity ${id} `)));
  const unknown = { type: 'countersign:later', msg: {} } as unknown as Payload;
  assert.equal(described(unknown), 'an event of another type: countersign:later');
});

test('a body that was changed, without a signature or too large is refused', async () => {
  const handled: Payload[] = [];
  await start(async (payload) => void handled.push(payload));
  const statusOf = async (body: string, headers = {}) => (await fetch(hook, { method: 'POST', body, headers })).status;
  assert.equal(await statusOf('{}'), 401);
  assert.equal((await fetch(hook)).status, 404);
  assert.equal(await statusOf('x'.repeat(8 * 1024 * 1024 + 1)).catch(() => 413), 413);
  const [key] = await keysOf(instance.url).with(undefined);
  const signed = {
    'x-turnkey-timestamp': String(clock.now()),
    'x-turnkey-event-id': 'event',
    'x-turnkey-signature-algorithm': 'ed25519',
    'x-turnkey-signature-version': 'v1',
    'x-turnkey-signature': 'ab'.repeat(64),
  };
  const forged = { ...signed, 'x-turnkey-signature-key-id': key!.keyId };
  assert.equal(await statusOf('{}', forged), 401);
  assert.equal(await statusOf('{}', { ...forged, 'x-turnkey-timestamp': String(clock.now() - 301_000) }), 503);
  assert.equal(await statusOf('{}', { ...signed, 'x-turnkey-signature-key-id': 'unknown' }), 503);
  assert.deepEqual(handled, []);
});

test('keys are kept for an hour, and an unknown one is asked for at most once a minute', async () => {
  let asked = 0;
  let fails = false;
  const server = createServer(async (request, response) => {
    asked++;
    response.statusCode = fails ? 503 : 200;
    response.end(await (await fetch(`${instance.url}${request.url}`)).text());
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  let now = 0;
  const keys = keysOf(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, () => now);
  const ask = async (keyId: string, at: number) => {
    now = at;
    await keys.with(keyId);
    return asked;
  };
  const [known] = await keys.with('unknown');
  assert.match(known!.publicKey, /^[0-9a-f]{64}$/);
  assert.equal(await ask(known!.keyId, 59_000), 1);
  assert.equal(await ask('unknown', 59_000), 1);
  assert.equal(await ask('unknown', 60_000), 2);
  assert.equal(await ask(known!.keyId, 60_000 + 3_599_000), 2);
  assert.equal(await ask(known!.keyId, 60_000 + 3_600_000), 3);
  // While the service gives none, ids that are sent without a pause cause no more questions.
  fails = true;
  const old = 60_000 + 2 * 3_600_000;
  await assert.rejects(ask(known!.keyId, old), /503/);
  for (const keyId of [known!.keyId, 'unknown']) await assert.rejects(ask(keyId, old + 4_999), /are not known now/);
  assert.equal(asked, 4);
  await assert.rejects(ask('unknown', old + 5_000), /are not known now/);
  await assert.rejects(ask(known!.keyId, old + 5_000), /503/);
  assert.equal(asked, 5);
  fails = false;
  assert.equal(await ask(known!.keyId, old + 10_000), 6);
  server.closeAllConnections();
  server.close();
});
