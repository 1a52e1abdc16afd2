import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { BACKGROUND_MS } from '../../../src/base/background.ts';
import { Uncertain } from '../../../src/base/errors.ts';
import { MOST_KEPT } from '../../../src/model/webhook-delivery.ts';
import { LEASE_MS } from '../../../src/workers/webhooks/round.ts';
import { park } from '../../../src/workers/webhooks/trim.ts';
import { resultOf } from '../../support/client.ts';
import { engineName } from '../../support/database.ts';
import { sharedInstance } from '../../support/instance.ts';
import { answers, type Behaviour, startReceiver } from '../../support/receiver.ts';
import { waitFor } from '../../support/wait.ts';
import { newEndpoint, record } from './support.ts';

const receiver = await startReceiver();
after(() => receiver.close());
const instance = await sharedInstance({ OUTBOUND_ALLOW: receiver.host });
const { engine, clock } = instance;

const urlOf = (path: string) => `http://${receiver.host}${path}`;
const idsAt = (path: string) => receiver.taken(path).map(({ eventId }) => eventId);
/** Events of this organization reach no endpoint of another test. */
const organization = async (name: string) => (await instance.newSubOrganization(name, 1, 1)).clients[0]!;
const deliveries = (endpointId: string) =>
  instance.raw('SELECT * FROM webhook_deliveries WHERE endpoint_id = $1 ORDER BY position', endpointId);
/** The endpoint rests for hours, after failures of two minutes. */
async function rests(endpointId: string, failures: number): Promise<void> {
  const now = clock.now();
  const sql = 'UPDATE webhook_queues SET failures = $1, failing_since = $2, next_at = $3 WHERE endpoint_id = $4 AND owner = $5';
  await waitFor('the rest', async () => {
    await instance.raw(sql, failures, now - 120_000, now + 3_600_000, endpointId, '');
    const [one] = await instance.raw('SELECT failures FROM webhook_queues WHERE endpoint_id = $1', endpointId);
    return Number(one!.failures) === failures;
  });
}
const sentAt = (path: string) => receiver.at(path).map(({ headers }) => Number(headers['x-turnkey-timestamp']));

test('a record of outcomes whose commit has no answer does not keep the next delivery waiting for the lease', async (t) => {
  const client = await organization('Settled');
  await newEndpoint(client, urlOf('/settled'));
  const { transaction } = engine.store;
  let lost = 0;
  t.mock.method(engine.store, 'transaction', async (...args: Parameters<typeof transaction>) => {
    const result = await transaction(...args);
    if (lost > 0 || !Array.isArray(result) || result[0]?.queue === undefined) return result;
    lost++;
    throw new Uncertain('no answer to a commit');
  });
  const ids = await record(engine, client.organizationId, ['s', 's']);
  await waitFor('the next delivery', () => idsAt('/settled').length === 2);
  assert.deepEqual([idsAt('/settled'), lost], [ids, 1]);
  const [first, second] = sentAt('/settled');
  assert.ok(second! - first! < LEASE_MS, `it waited ${second! - first!} ms`);
});

test('a delivery that fails in the service repeats none that are under way beside it', async (t) => {
  const client = await organization('Beside');
  const endpointId = await newEndpoint(client, urlOf('/beside'));
  const { webhooks } = engine.vault;
  const { signWebhook } = webhooks;
  let signed = 0;
  t.mock.method(webhooks, 'signWebhook', (...args: Parameters<typeof signWebhook>) => {
    // The first goes alone, and four follow together.
    if (++signed === 3) throw new Error('a fault');
    return signWebhook(...args);
  });
  const held: (() => void)[] = [];
  receiver.behave('/beside', (response, one) => {
    if (receiver.at('/beside').length === 1 || receiver.at('/beside').length > 4) return answers(200)(response, one);
    held.push(() => answers(200)(response, one));
    // Longer than the look for what has no owner.
    if (held.length === 3)
      setTimeout(() => {
        for (const end of held) end();
      }, 2_500);
  });
  const ids = await record(engine, client.organizationId, ['a', 'b', 'c', 'd', 'e']);
  await waitFor('their end', async () => {
    const all = await deliveries(endpointId);
    return all.length === ids.length && all.every(({ status }) => status === 'DELIVERED');
  });
  assert.deepEqual(
    receiver
      .at('/beside')
      .map(({ eventId }) => eventId)
      .sort(),
    ids.toSorted(),
  );
});

/** Holds each request until `isFull`, and for a moment: more than those would come meanwhile. */
function counted(isFull: (open: number, all: number) => boolean, status: number) {
  const seen = { most: 0, all: 0 };
  let open: (() => void)[] = [];
  const behave: Behaviour = (response, one) => {
    open.push(() => answers(status)(response, one));
    seen.all++;
    seen.most = Math.max(seen.most, open.length);
    if (!isFull(open.length, seen.all)) return;
    setTimeout(() => {
      const ended = open;
      open = [];
      for (const end of ended) end();
    }, 200);
  };
  return { seen, behave };
}

test('a healthy endpoint has at most four requests under way, and one that fails has one', async () => {
  const client = await organization('Several');
  await newEndpoint(client, urlOf('/several'));
  const EVENTS = 20;
  const healthy = counted((open, all) => all === 1 || open === 4 || all === EVENTS, 200);
  receiver.behave('/several', healthy.behave);
  await record(
    engine,
    client.organizationId,
    Array.from({ length: EVENTS }, (_, i) => `subject ${i}`),
  );
  await waitFor('all of them', () => idsAt('/several').length === EVENTS);
  assert.deepEqual(healthy.seen, { most: 4, all: EVENTS });

  const failing = counted(() => true, 503);
  receiver.behave('/several', failing.behave);
  await record(
    engine,
    client.organizationId,
    Array.from({ length: 8 }, (_, i) => `later ${i}`),
  );
  await waitFor('some failures', () => {
    clock.advance(10_000);
    return failing.seen.all >= 4;
  });
  assert.equal(failing.seen.most, 1);
});

test('an endpoint that answers 429 is called again when it says', async () => {
  const client = await organization('Later');
  receiver.behave('/429', answers(429, { 'retry-after': '120' }));
  const endpointId = await newEndpoint(client, urlOf('/429'));
  await record(engine, client.organizationId, ['s']);
  const [one] = await waitFor('the attempt', async () => {
    const all = await deliveries(endpointId);
    return Number(all[0]?.attempts) === 1 && all;
  });
  assert.deepEqual([one!.status, Number(one!.last_status_code)], ['PENDING', 429]);
  const rest = Number(one!.next_at) - Number(one!.last_attempt_at);
  assert.ok(rest >= 120_000, `${rest} ms`);
});

/** An endpoint that has pending deliveries, and is called no more. */
async function switchedOff(name: string, events: number) {
  const client = await organization(name);
  receiver.behave(`/${name}`, answers(500));
  const endpointId = await newEndpoint(client, urlOf(`/${name}`));
  await record(
    engine,
    client.organizationId,
    Array.from({ length: events }, (_, i) => `${i}`),
  );
  await waitFor('an attempt', () => receiver.at(`/${name}`).length > 0);
  resultOf(await client.submit('UPDATE_WEBHOOK_ENDPOINT', { endpointId, isActive: false }), 'updateWebhookEndpointResult');
  const sql = 'SELECT 1 FROM webhook_queues WHERE endpoint_id = $1 AND next_at > $2 AND lease_until = 0';
  await waitFor('the rest', async () => (await instance.raw(sql, endpointId, clock.now() + LEASE_MS)).length === 1);
  return { client, endpointId };
}

const endings = async (endpointId: string) =>
  (await deliveries(endpointId)).map(({ status, last_error }) => [status, last_error]);

test('an endpoint that takes none keeps its newest deliveries, up to a number', async () => {
  const { client, endpointId } = await switchedOff('many', 5);
  const owner = 'a test';
  await instance.raw(
    'UPDATE webhook_queues SET owner = $1, lease_until = $2 WHERE endpoint_id = $3',
    owner,
    clock.now() + LEASE_MS,
    endpointId,
  );
  const queue = (await engine.store.read.webhookQueues.get(client.organizationId, endpointId))!;
  await park({ ...engine, owner }, queue, false, 3);
  const ended = (await endings(endpointId)).map(([status, why]) => [status, status === 'DEAD' ? why : undefined]);
  const dead = ['DEAD', 'given up: more than 3 deliveries of its endpoint waited'];
  assert.deepEqual(ended, [dead, dead, ...Array.from({ length: 3 }, () => ['PENDING', undefined])]);
});

/** Retries of an endpoint that are due in hours. */
const postpone = (endpointId: string, at: number, status = 500) =>
  instance.raw(
    `UPDATE webhook_deliveries SET next_at = $1, attempts = 20, last_attempt_at = $2, last_status_code = $3
    WHERE endpoint_id = $4 AND next_at IS NOT NULL`,
    at,
    clock.now(),
    status,
    endpointId,
  );
const delivered = async (endpointId: string) =>
  (await instance.raw('SELECT 1 FROM webhook_deliveries WHERE endpoint_id = $1 AND status = $2', endpointId, 'DELIVERED')).length;

test('a resume writes no delivery: the owner makes all due, and counts their attempts anew', async (t) => {
  const EVENTS = 600;
  const client = await organization('Resumed');
  receiver.behave('/resumed', answers(500));
  const endpointId = await newEndpoint(client, urlOf('/resumed'));
  const subjects = Array.from({ length: EVENTS }, (_, i) => `${i}`);
  await record(engine, client.organizationId, subjects);
  await waitFor('all of them', async () => (await deliveries(endpointId)).length === EVENTS);
  await rests(endpointId, 3);
  const at = clock.now() + 6 * 3_600_000;
  await postpone(endpointId, at, 429);
  await instance.raw('UPDATE webhook_deliveries SET next_at = next_at + position % 1000 WHERE endpoint_id = $1', endpointId);
  const before = await deliveries(endpointId);
  const owned = 'UPDATE webhook_queues SET owner = $1, lease_until = $2 WHERE endpoint_id = $3';
  await instance.raw(owned, 'a test', clock.now() + LEASE_MS, endpointId);
  resultOf(await client.submit('UPDATE_WEBHOOK_ENDPOINT', { endpointId, isActive: true }), 'updateWebhookEndpointResult');
  assert.deepEqual(await deliveries(endpointId), before);
  let refused: string | undefined;
  receiver.behave('/resumed', (response, one) => {
    refused ??= one.eventId;
    answers(one.eventId === refused ? 500 : 200)(response, one);
  });
  // Each transaction of the worker is undone once, as by another job of its commit or a deadlock.
  const { transaction } = engine.store;
  const undone = new Error('undone');
  t.mock.method(engine.store, 'transaction', async (...[work, patienceMs]: Parameters<typeof transaction>) => {
    if (patienceMs === BACKGROUND_MS)
      await transaction(async (tx) => {
        await work(tx);
        throw undone;
      }).catch((error) => assert.equal(error, undone));
    return transaction(work, patienceMs);
  });
  await instance.raw(owned, '', 0, endpointId);
  await waitFor('all but one', async () => (await delivered(endpointId)) === EVENTS - 1);
  assert.deepEqual(
    (await deliveries(endpointId)).filter(({ attempts }) => Number(attempts) >= 20),
    [],
  );
});

test('the first success after an outage makes all retries due, except those after 429', async () => {
  const client = await organization('Outage');
  receiver.behave('/outage', answers(500));
  const endpointId = await newEndpoint(client, urlOf('/outage'));
  const [told, ...others] = await record(engine, client.organizationId, ['a', 'b', 'c', 'd']);
  await waitFor('an attempt', async () => (await deliveries(endpointId)).some(({ attempts }) => Number(attempts) > 0));
  await rests(endpointId, 3);
  await postpone(endpointId, clock.now() + 3_600_000);
  await instance.raw('UPDATE webhook_deliveries SET last_status_code = 429 WHERE event_id = $1', told);
  receiver.behave('/outage', answers(200));
  const [later] = await record(engine, client.organizationId, ['e']);
  await waitFor('its delivery', async () => (await deliveries(endpointId)).length === 5);
  clock.advance(60_000);
  await waitFor('all but one', async () => (await delivered(endpointId)) === 4);
  assert.deepEqual(new Set(idsAt('/outage')), new Set([...others, later]));
});

/** Makes the next attempt of an endpoint hang. Returns how it ends. */
async function hanging(path: string, endpointId: string): Promise<() => void> {
  let end = () => {};
  receiver.behave(path, (response, one) => {
    end = () => answers(500)(response, one);
  });
  const tried = receiver.at(path).length;
  for (const name of ['webhook_deliveries', 'webhook_queues'])
    await instance.raw(`UPDATE ${name} SET next_at = $1 WHERE endpoint_id = $2`, clock.now(), endpointId);
  await waitFor('the next attempt', () => receiver.at(path).length > tried);
  return end;
}

test('an endpoint that is resumed during the last attempt of an event keeps it', async () => {
  const client = await organization('Last');
  receiver.behave('/last', answers(500));
  const endpointId = await newEndpoint(client, urlOf('/last'));
  await record(engine, client.organizationId, ['late']);
  await waitFor('an attempt', async () => (await deliveries(endpointId)).some(({ attempts }) => Number(attempts) > 0));
  await rests(endpointId, 3);
  const long = clock.now() - 73 * 3_600_000;
  await instance.raw('UPDATE webhook_deliveries SET first_attempt_at = $1 WHERE endpoint_id = $2', long, endpointId);
  const end = await hanging('/last', endpointId);
  resultOf(await client.submit('UPDATE_WEBHOOK_ENDPOINT', { endpointId, isActive: true }), 'updateWebhookEndpointResult');
  receiver.behave('/last', answers(200));
  end();
  await waitFor('its delivery', async () => (await delivered(endpointId)) === 1);
});

test('an event that comes while its failing endpoint is tried has it tried again within a minute', async () => {
  const client = await organization('Probed');
  receiver.behave('/probed', answers(500));
  const endpointId = await newEndpoint(client, urlOf('/probed'));
  await record(engine, client.organizationId, ['bad']);
  await waitFor('an attempt', async () => (await deliveries(endpointId)).some(({ attempts }) => Number(attempts) > 0));
  await rests(endpointId, 8);
  const end = await hanging('/probed', endpointId);
  await record(engine, client.organizationId, ['good']);
  await waitFor('its delivery', async () => (await deliveries(endpointId)).length === 2);
  end();
  const { next_at } = await waitFor('the record', async () => {
    const [one] = await instance.raw('SELECT next_at, failures FROM webhook_queues WHERE endpoint_id = $1', endpointId);
    return Number(one!.failures) === 9 && one;
  });
  assert.ok(Number(next_at) - clock.now() <= 60_000, `${Number(next_at) - clock.now()} ms`);
});

test('the deliveries of a deleted endpoint are given up', async () => {
  const { client, endpointId } = await switchedOff('gone', 2);
  resultOf(await client.submit('DELETE_WEBHOOK_ENDPOINT', { endpointId }), 'deleteWebhookEndpointResult');
  await waitFor('their end', async () => (await endings(endpointId)).every(([status]) => status === 'DEAD'));
  const dead = ['DEAD', 'given up: its endpoint was deleted'];
  assert.deepEqual(await endings(endpointId), [dead, dead]);
});

/** An id like that of its row, with a number at its end. */
const numbered =
  engineName === 'postgres'
    ? "(substr(id::text, 1, 24) || lpad(to_hex(n), 12, '0'))::uuid"
    : "unhex(substr(hex(id), 1, 20) || printf('%012x', n))";
const NUMBERS = 'WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < $1)';

test('an endpoint that fails, and is not paused yet, loses its oldest deliveries above 100,000', async () => {
  const client = await organization('Flood');
  receiver.behave('/flood', answers(500));
  const endpointId = await newEndpoint(client, urlOf('/flood'));
  const sql = (text: string, ...more: unknown[]) => instance.raw(text, ...more, endpointId);
  const made = (all: number) =>
    waitFor('its delivery', async () => (await sql('SELECT 1 FROM webhook_deliveries WHERE endpoint_id = $1')).length === all);
  const [oldest] = await record(engine, client.organizationId, ['s']);
  await made(1);
  clock.advance(1_000);
  await record(engine, client.organizationId, ['s']);
  await made(2);
  // They wait for the first of their subject, as the copied one does.
  const columns = Object.keys((await deliveries(endpointId))[0]!);
  const copied = columns.map((name) => (name === 'id' ? numbered : name)).join(', ');
  await sql(
    `INSERT INTO webhook_deliveries (${columns.join(', ')}) ${NUMBERS} SELECT ${copied} FROM numbers, webhook_deliveries
     WHERE endpoint_id = $2 AND next_at IS NULL AND ended_at IS NULL`,
    MOST_KEPT - 2,
  );
  await sql('UPDATE webhook_queues SET pending = pending + $1 WHERE endpoint_id = $2', MOST_KEPT - 2);
  const dead = () =>
    sql("SELECT event_id, last_error FROM webhook_deliveries WHERE status = 'DEAD' AND endpoint_id = $1 ORDER BY id");
  const tried = async () => (await sql('SELECT failures FROM webhook_queues WHERE endpoint_id = $1'))[0]!.failures;
  const failures = await tried();
  await waitFor('a further failure', async () => {
    clock.advance(60_000);
    return (await tried()) !== failures;
  });
  assert.deepEqual(await dead(), [], 'as many as are kept');
  const newest = await record(engine, client.organizationId, ['new', 'new']);
  await waitFor('the end of some', async () => {
    clock.advance(60_000);
    return (await dead()).length > 0;
  });
  const ended = await dead();
  const why = 'given up: more than 100000 deliveries of its endpoint waited';
  assert.deepEqual(
    ended.map(({ last_error }) => last_error),
    [why, why],
  );
  assert.equal(ended[0]!.event_id, oldest);
  assert.deepEqual(
    ended.filter(({ event_id }) => newest.includes(event_id as string)),
    [],
  );
  assert.equal((await client.query('list_webhook_endpoints')).body.webhookEndpoints[0].isActive, true);
});
