import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { newKeys, resultOf, userWith } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';
import { answers, startReceiver } from '../../support/receiver.ts';
import { waitFor } from '../../support/wait.ts';
import { newEndpoint, record } from './support.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const receiver = await startReceiver();
after(() => receiver.close());
const instance = await sharedInstance({ OUTBOUND_ALLOW: receiver.host });
const { root, engine, clock } = instance;
const urlOf = (path: string) => `http://${receiver.host}${path}`;

/** A sub-organization of two root users, of whom one has an address. */
async function organizationWithMail(email: string) {
  const [first, second] = [newKeys(), newKeys()];
  const rootUsers = [userWith('A', [first], { userEmail: email }), userWith('B', [second])];
  const parameters = { subOrganizationName: email, rootQuorumThreshold: 1, rootUsers };
  const made = resultOf(await root.submit('CREATE_SUB_ORGANIZATION_V8', parameters), 'createSubOrganizationResultV8');
  return root.as(first, made.subOrganizationId);
}

const mails = async (to: string) =>
  (
    (await (await fetch(`${instance.url}/dev/outbox`)).json()) as {
      messages: { id: string; to: string; subject: string; text: string }[];
    }
  ).messages.filter((mail) => mail.to === to);

const deliveries = (endpointId: string) =>
  instance.raw(
    'SELECT status, attempts, last_error, created_at, ended_at FROM webhook_deliveries WHERE endpoint_id = $1 ORDER BY position',
    endpointId,
  );
const ended = async (endpointId: string, status: string) =>
  (await deliveries(endpointId)).filter((one) => one.status === status).length;

const nextOf = async (endpointId: string) =>
  (await instance.raw('SELECT next_at, failures, owner FROM webhook_queues WHERE endpoint_id = $1', endpointId))[0] ?? {
    next_at: 0,
    failures: 0,
    owner: '',
  };

test('an endpoint that fails for 72 hours is paused, its root users get one mail, and it resumes with what was kept', async () => {
  const client = await organizationWithMail('pause@example.com');
  receiver.behave('/paused', answers(500));
  const endpointId = await newEndpoint(client, urlOf('/paused'));
  const isActive = async () => (await client.query('list_webhook_endpoints')).body.webhookEndpoints[0].isActive;
  const [first] = await record(engine, client.organizationId, ['s']);
  let tried = 0;
  const begun = clock.now();
  await waitFor('the pause', async () => {
    if (receiver.at('/paused').length > tried) {
      tried = receiver.at('/paused').length;
      clock.advance(6 * HOUR);
    } else clock.advance(HOUR / 12);
    return !(await isActive());
  });
  assert.ok(clock.now() - begun >= 72 * HOUR);
  const at = receiver.at('/paused').length;
  const later = await record(engine, client.organizationId, ['s', 't']);
  clock.advance(DAY);
  await waitFor('the deliveries of later events', async () => (await deliveries(endpointId)).length === 3);
  assert.equal(receiver.at('/paused').length, at, 'it is called no more');
  const [mail, ...more] = await waitFor('the mail', async () => {
    const all = await mails('pause@example.com');
    return all.length > 0 && all;
  });
  // The clock's leaps expire leases of mails under way: a mail may be sent twice, under one id.
  assert.deepEqual(
    more.filter(({ id }) => id !== mail!.id),
    [],
  );
  assert.match(mail!.subject, /“Receiver” is paused/);
  assert.ok(mail!.text.includes(JSON.stringify({ endpointId, isActive: true })), mail!.text);

  // Its organization pauses it too: from then on it gets no new events.
  resultOf(await client.submit('UPDATE_WEBHOOK_ENDPOINT', { endpointId, isActive: false }), 'updateWebhookEndpointResult');
  const [missed] = await record(engine, client.organizationId, ['u']);
  await waitFor('the fan-out', async () =>
    (await instance.raw('SELECT fanned_out_at FROM webhook_events WHERE id = $1', missed)).every(
      ({ fanned_out_at }) => fanned_out_at !== null,
    ),
  );
  assert.equal((await deliveries(endpointId)).length, 3);

  receiver.behave('/paused', answers(200));
  resultOf(await client.submit('UPDATE_WEBHOOK_ENDPOINT', { endpointId, isActive: true }), 'updateWebhookEndpointResult');
  await waitFor('all events', () => receiver.taken('/paused').length === 3);
  const got = receiver.taken('/paused').map(({ eventId }) => eventId);
  assert.deepEqual(
    got.filter((id) => id !== later[1]),
    [first, later[0]],
  );
});

test('a paused endpoint keeps its events for 7 days', async () => {
  const { clients } = await instance.newSubOrganization('Kept', 1, 1);
  const client = clients[0]!;
  receiver.behave('/kept', answers(500));
  const endpointId = await newEndpoint(client, urlOf('/kept'));
  await record(engine, client.organizationId, ['s', 's']);
  await waitFor('an attempt', () => receiver.at('/kept').length > 0);
  resultOf(await client.submit('UPDATE_WEBHOOK_ENDPOINT', { endpointId, isActive: false }), 'updateWebhookEndpointResult');
  clock.advance(6 * DAY);
  await waitFor('a look', async () =>
    (await instance.raw('SELECT next_at FROM webhook_queues WHERE endpoint_id = $1', endpointId)).some(
      ({ next_at }) => Number(next_at) > clock.now(),
    ),
  );
  assert.equal(await ended(endpointId, 'DEAD'), 0);
  clock.advance(2 * DAY);
  await waitFor('their end', async () => {
    // It is looked at each hour.
    clock.advance(HOUR);
    return (await ended(endpointId, 'DEAD')) === 2;
  });
  const why = 'given up: its endpoint took none for 7 days';
  assert.deepEqual(
    (await deliveries(endpointId)).map(({ attempts, last_error }) => [Number(attempts), last_error]),
    [1, 0].map((attempts) => [attempts, why]),
  );
});

test('ended deliveries are shown for 30 days', async () => {
  const endpointId = await newEndpoint(root, urlOf('/retention'));
  await record(engine, root.organizationId, ['s']);
  await waitFor('its delivery', async () => (await ended(endpointId, 'DELIVERED')) === 1);
  clock.advance(29 * DAY);
  await record(engine, root.organizationId, ['s']);
  await waitFor('a later one', async () => (await ended(endpointId, 'DELIVERED')) === 2);
  clock.advance(2 * DAY);
  await waitFor('the end of the first', async () => (await deliveries(endpointId)).length === 1);
});

test('an event that fails again and again keeps no others waiting, and is dead 72 hours after its first attempt', async () => {
  const client = (await instance.newSubOrganization('Poison', 1, 1)).clients[0]!;
  receiver.behave('/poison', (response, { body }) => void response.writeHead(body.includes('bad') ? 500 : 200).end());
  const endpointId = await newEndpoint(client, urlOf('/poison'));
  await record(engine, client.organizationId, ['bad', 'bad']);
  for (let good = 1; (await ended(endpointId, 'DEAD')) === 0; good++) {
    assert.ok(good < 100);
    const asked = clock.now();
    await record(engine, client.organizationId, [`good ${good}`]);
    await waitFor('the good one', () => receiver.taken('/poison').length === good);
    // After two failures in a row the endpoint rests for 5 s, ±20 %.
    assert.ok(clock.now() - asked < 10_000);
    clock.advance(6 * HOUR);
  }
  const [bad] = await deliveries(endpointId);
  assert.equal(bad!.status, 'DEAD');
  const tried = Number(bad!.ended_at) - Number(bad!.created_at);
  // The clock goes on by steps of 6 hours.
  assert.ok(tried >= 72 * HOUR && tried < 79 * HOUR, `${tried / HOUR} hours`);
  // It is as old, and counts from its own first attempt.
  const next = await waitFor('an attempt of the next one of its subject', async () => {
    const [, second] = await deliveries(endpointId);
    return Number(second!.attempts) > 0 && second;
  });
  assert.equal(next.status, 'PENDING');
});

test('an event that its endpoint never took is kept until the pause, and arrives after it', async () => {
  const client = (await instance.newSubOrganization('Quiet', 1, 1)).clients[0]!;
  receiver.behave('/quiet', answers(503));
  const endpointId = await newEndpoint(client, urlOf('/quiet'));
  const [id] = await record(engine, client.organizationId, ['s']);
  const isActive = async () => (await client.query('list_webhook_endpoints')).body.webhookEndpoints[0].isActive;
  await waitFor('the pause', async () => {
    const { next_at, owner } = await nextOf(endpointId);
    const rest = Number(next_at) - clock.now();
    if (owner === '' && rest > 0 && rest < DAY) clock.advance(rest);
    return !(await isActive());
  });
  const sentAt = receiver.at('/quiet').map(({ headers }) => Number(headers['x-turnkey-timestamp']));
  const tried = sentAt.at(-1)! - sentAt[0]!;
  assert.ok(sentAt.length >= 17, 'each attempt came when it was due');
  assert.ok(tried >= 71.9 * HOUR && tried < 72.1 * HOUR, `the last one came after ${tried / HOUR} hours`);
  assert.equal(await ended(endpointId, 'DEAD'), 0);
  resultOf(await client.submit('UPDATE_WEBHOOK_ENDPOINT', { endpointId, isActive: true }), 'updateWebhookEndpointResult');
  await waitFor('a failure after it was resumed', async () => Number((await nextOf(endpointId)).failures) === 1);
  assert.deepEqual([await isActive(), await ended(endpointId, 'PENDING')], [true, 1], 'the time counts anew');
  receiver.behave('/quiet', answers(200));
  await waitFor('the event', () => {
    clock.advance(1_000);
    return receiver.taken('/quiet').some(({ eventId }) => eventId === id);
  });
});

test('an endpoint that refused an event long ago is not paused by its next failure', async () => {
  const client = (await instance.newSubOrganization('Refuses', 1, 1)).clients[0]!;
  receiver.behave('/refuses', answers(404));
  const endpointId = await newEndpoint(client, urlOf('/refuses'));
  await record(engine, client.organizationId, ['first']);
  await waitFor('its end', async () => (await ended(endpointId, 'DEAD')) === 1);
  clock.advance(4 * DAY);
  receiver.behave('/refuses', answers(500));
  await record(engine, client.organizationId, ['second']);
  await waitFor('a failure', async () => Number((await nextOf(endpointId)).failures) === 1);
  assert.equal((await client.query('list_webhook_endpoints')).body.webhookEndpoints[0].isActive, true);
});

test('an endpoint that refuses each event for 72 hours is paused and told of once; one that it takes ends that time', async () => {
  const client = await organizationWithMail('refuses@example.com');
  const endpointId = await newEndpoint(client, urlOf('/refusing'));
  const isActive = async () => (await client.query('list_webhook_endpoints')).body.webhookEndpoints[0].isActive;
  const dead = () => ended(endpointId, 'DEAD');
  const refuse = async () => {
    receiver.behave('/refusing', answers(404));
    const before = await dead();
    await record(engine, client.organizationId, ['s']);
    await waitFor('its refusal', async () => (await dead()) > before);
  };
  await refuse();
  clock.advance(71 * HOUR);
  receiver.behave('/refusing', answers(200));
  await record(engine, client.organizationId, ['s']);
  await waitFor('the one that is taken', async () => (await ended(endpointId, 'DELIVERED')) === 1);
  clock.advance(2 * HOUR);
  await refuse();
  clock.advance(71 * HOUR);
  await refuse();
  assert.equal(await isActive(), true);
  clock.advance(2 * HOUR);
  await refuse();
  await waitFor('the pause', async () => !(await isActive()));
  const [kept] = await record(engine, client.organizationId, ['s']);
  await waitFor('its delivery', async () => (await ended(endpointId, 'PENDING')) === 1);
  assert.deepEqual([await dead(), receiver.at('/refusing').length], [4, 5]);
  const all = await waitFor('the mail', async () => {
    const found = await mails('refuses@example.com');
    return found.length > 0 && found;
  });
  assert.equal(new Set(all.map(({ id }) => id)).size, 1);
  receiver.behave('/refusing', answers(200));
  resultOf(await client.submit('UPDATE_WEBHOOK_ENDPOINT', { endpointId, isActive: true }), 'updateWebhookEndpointResult');
  await waitFor('the kept one', () => receiver.taken('/refusing').some(({ eventId }) => eventId === kept));
});

test('a paused endpoint that has nothing pending is looked at again once it has', async () => {
  const client = (await instance.newSubOrganization('Later', 1, 1)).clients[0]!;
  const endpointId = await newEndpoint(client, urlOf('/later'));
  await record(engine, client.organizationId, ['s']);
  await waitFor('its delivery', async () => (await ended(endpointId, 'DELIVERED')) === 1);
  await engine.store.transaction(async (tx) => {
    const queue = (await tx.webhookQueues.get(client.organizationId, endpointId))!;
    await tx.webhookQueues.change(queue, { pausedAt: clock.now() });
    const endpoint = (await tx.webhookEndpoints.get(client.organizationId, endpointId))!;
    await tx.webhookEndpoints.replace({ ...endpoint, isActive: false });
  });
  await record(engine, client.organizationId, ['kept']);
  await waitFor('its delivery', async () => (await deliveries(endpointId)).length === 2);
  clock.advance(8 * DAY);
  await waitFor('the end of the kept one', async () => {
    // A look may have been under way during the leap.
    clock.advance(HOUR);
    return (await ended(endpointId, 'DEAD')) === 1;
  });
});
