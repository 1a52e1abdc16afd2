import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import pg from 'pg';
import { Uncertain } from '../../../src/base/errors.ts';
import { LEASE_MS } from '../../../src/workers/webhooks/round.ts';
import { resultOf } from '../../support/client.ts';
import { engineName } from '../../support/database.ts';
import { sharedInstance } from '../../support/instance.ts';
import { answers, startReceiver, verified, webhookKeysOf } from '../../support/receiver.ts';
import { openStream } from '../../support/streams.ts';
import { waitFor } from '../../support/wait.ts';
import { newEndpoint, record } from './support.ts';

const receiver = await startReceiver();
after(() => receiver.close());
const instance = await sharedInstance({ OUTBOUND_ALLOW: receiver.host });
const { root, engine, clock } = instance;
const own = root.organizationId;

const urlOf = (path: string) => `http://${receiver.host}${path}`;
const idsAt = (path: string) => receiver.taken(path).map(({ eventId }) => eventId);
const statuses = async (path: string) =>
  (
    await instance.raw(
      `SELECT d.status, d.attempts, d.last_status_code, d.last_answer, d.last_error FROM webhook_deliveries d
       JOIN webhook_endpoints e ON e.id = d.endpoint_id WHERE e.url = $1 ORDER BY d.position`,
      urlOf(path),
    )
  ).map((row) => ({ ...row, attempts: Number(row.attempts), last_status_code: Number(row.last_status_code) }));

const skip = engineName !== 'postgres' && 'SQLite has one writer';
const WAITS = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";

// First, because the organization has no endpoint yet.
test('an activity that waits for its organization reaches an endpoint that the parent creates meanwhile', { skip }, async () => {
  const { organizationId, clients } = await instance.newSubOrganization('Waits', 1, 1);
  const other = new pg.Client({ connectionString: instance.databaseUrl! });
  await other.connect();
  await other.query('BEGIN');
  await other.query('SELECT id FROM organizations WHERE id = $1 FOR UPDATE', [organizationId]);
  const sent = clients[0]!.submit('CREATE_WALLET', { walletName: 'Late', accounts: [] });
  await waitFor('the activity', async () => (await instance.raw(WAITS)).length > 0);
  const parameters = { name: 'Late', url: urlOf('/late'), subscriptions: [{ eventType: 'ACTIVITY_UPDATES' }] };
  const made = root.submit('CREATE_WEBHOOK_ENDPOINT', parameters);
  await waitFor(
    'the endpoint',
    async () => (await instance.raw('SELECT 1 FROM webhook_endpoints WHERE url = $1', urlOf('/late'))).length > 0,
  );
  await other.query('ROLLBACK');
  await other.end();
  resultOf(await made, 'createWebhookEndpointResult');
  const { id } = (await sent).body.activity;
  await waitFor('its event', () => receiver.taken('/late').some(({ body }) => JSON.parse(body).id === id));
});

const opened = {
  'an endpoint': async () => {
    const parameters = { name: 'Fenced', url: urlOf('/fenced'), subscriptions: [{ eventType: 'ACTIVITY_UPDATES' }] };
    resultOf(await root.submit('CREATE_WEBHOOK_ENDPOINT', parameters), 'createWebhookEndpointResult');
  },
  'a stream': async () => (await openStream(instance.url, root, { subOrganizations: true })).close(),
};
for (const [what, open] of Object.entries(opened))
  test(`${what} is answered when an activity that saw no listener has ended`, { skip }, async (t) => {
    const { organizationId, clients } = await instance.newSubOrganization(`Before ${what}`, 1, 1);
    const other = new pg.Client({ connectionString: instance.databaseUrl! });
    await other.connect();
    await other.query('BEGIN; LOCK TABLE wallets IN SHARE MODE');
    const sent = clients[0]!.submit('CREATE_WALLET', { walletName: 'Before', accounts: [] });
    await waitFor('the activity', async () => (await instance.raw(WAITS)).length > 0);
    const fence = t.mock.method(engine.store, 'earlierEnded');
    let isAnswered = false;
    const answered = open().then(() => {
      isAnswered = true;
    });
    await waitFor('the commit', () => isAnswered || fence.mock.callCount() > 0);
    // Without the fence the answer comes at once.
    await other.query('SELECT pg_sleep(0.5)');
    assert.equal(isAnswered, false);
    await other.query('ROLLBACK');
    await other.end();
    await answered;
    const wallets = await instance.raw('SELECT 1 FROM wallets WHERE organization_id = $1', organizationId);
    assert.equal(wallets.length, 1);
    assert.equal((await sent).status, 200);
  });

test('a delivery verifies with the published verifier, and has the recorded bytes', async () => {
  await newEndpoint(root, urlOf('/verified'));
  const [id] = await record(engine, own, ['a']);
  const one = await waitFor('a delivery', () => receiver.taken('/verified')[0]);
  const keys = await webhookKeysOf(instance.url);
  assert.equal(keys.length, 1);
  assert.match(keys[0]!.kid, /^[0-9a-f]{64}$/);
  const result = verified(one, keys, clock.now());
  assert.deepEqual(result.ok && [result.eventId, result.keyId], [id, keys[0]!.kid]);
  assert.equal(verified({ ...one, body: `${one.body} ` }, keys, clock.now()).ok, false);
  assert.equal(one.body, JSON.stringify({ subject: 'a', i: 0, text: 'grün' }));
  assert.equal(one.headers['x-turnkey-organization-id'], own);
  assert.equal(one.headers['x-turnkey-event-type'], 'ACTIVITY_UPDATES');
  assert.equal(one.headers['x-turnkey-webhook-version'], '1');
  assert.equal(one.headers['content-type'], 'application/json');
});

test('the keys may be cached, and read by pages of other origins', async () => {
  const response = await fetch(`${instance.url}/public/v1/discovery/webhooks/jwks`);
  assert.equal(response.headers.get('cache-control'), 'public, max-age=300');
  assert.equal(response.headers.get('access-control-allow-origin'), '*');
  const { keys } = (await response.json()) as { keys: Record<string, string>[] };
  const { kid, x, ...rest } = keys[0]!;
  assert.deepEqual([kid!.length, Buffer.from(x!, 'base64url').length], [64, 32]);
  assert.deepEqual(rest, {
    kty: 'OKP',
    crv: 'Ed25519',
    alg: 'EdDSA',
    use: 'sig',
    turnkey_signature_algorithm: 'ed25519',
    turnkey_signature_version: 'v1',
  });
});

test('a receiver that was down gets each event once it is back, with one id, in the order of its subject', async () => {
  receiver.behave('/down', answers(503));
  await newEndpoint(root, urlOf('/down'));
  const ids = await record(engine, own, ['s', 's', 't', 's', 't']);
  await waitFor('two attempts', () => receiver.at('/down').length >= 2);
  assert.ok(receiver.at('/down').every(({ eventId }) => eventId === ids[0] || eventId === ids[2]));
  receiver.behave('/down', answers(200));
  await waitFor('all of them', async () => {
    clock.advance(60_000);
    return idsAt('/down').length >= ids.length;
  });
  const got = idsAt('/down');
  for (const subject of [
    [0, 1, 3],
    [2, 4],
  ].map((all) => all.map((i) => ids[i])))
    assert.deepEqual(
      got.filter((id) => subject.includes(id)),
      subject,
    );
  assert.equal(
    new Set(receiver.at('/down').map(({ headers }) => headers['x-turnkey-signature'])).size,
    receiver.at('/down').length,
  );
  assert.equal(
    new Set(
      receiver
        .at('/down')
        .filter(({ eventId }) => eventId === ids[0])
        .map(({ body }) => body),
    ).size,
    1,
  );
});

test('a claim whose commit has no answer does not keep its delivery waiting for the lease', async (t) => {
  await newEndpoint(root, urlOf('/lost'));
  const { transaction } = engine.store;
  let lost = 0;
  t.mock.method(engine.store, 'transaction', async (...args: Parameters<typeof transaction>) => {
    const result = (await transaction(...args)) as { begun?: unknown[] } | undefined;
    if (lost > 0 || !result?.begun?.length) return result;
    lost++;
    throw new Uncertain('no answer to a commit');
  });
  const recordedAt = clock.now();
  const [id] = await record(engine, own, ['lost']);
  await waitFor('the delivery', () => idsAt('/lost').length > 0);
  assert.deepEqual([idsAt('/lost'), lost], [[id], 1]);
  const sentAt = Number(receiver.at('/lost')[0]!.headers['x-turnkey-timestamp']);
  assert.ok(sentAt - recordedAt < LEASE_MS, `it waited ${sentAt - recordedAt} ms`);
});

test('an answer that is no success and not retried is the end, and the next event of the subject follows', async () => {
  for (const status of [301, 404, 410]) {
    const path = `/dead-${status}`;
    receiver.behave(path, answers(status, { location: urlOf('/elsewhere') }));
    await newEndpoint(root, urlOf(path));
  }
  await record(engine, own, ['u', 'u']);
  for (const status of [301, 404, 410]) {
    const path = `/dead-${status}`;
    await waitFor(path, () => receiver.at(path).length >= 2);
    const ended = await waitFor('the record', async () => {
      const all = await statuses(path);
      return all.every((one) => 'status' in one && one.status === 'DEAD') && all;
    });
    const dead = { status: 'DEAD', attempts: 1, last_status_code: status, last_answer: `answered ${status}`, last_error: '' };
    assert.deepEqual(ended, [dead, dead]);
  }
  assert.deepEqual(receiver.at('/elsewhere'), []);
});

test('endpoints that hang, drip or send a gigabyte hold up no other, and their answers are not read to the end', async () => {
  receiver.behave('/hang', () => {});
  receiver.behave('/drip', (response) => {
    response.writeHead(200);
    const timer = setInterval(() => response.write('x'), 200);
    response.on('close', () => clearInterval(timer));
  });
  let most = 0;
  receiver.behave('/gigabyte', (response) => {
    let sent = 0;
    response.on('close', () => {
      most = Math.max(most, sent);
    });
    response.writeHead(200);
    const chunk = Buffer.alloc(65_536);
    const more = () => {
      while (!response.destroyed && sent < 1e9) {
        sent += chunk.length;
        if (!response.write(chunk)) return void response.once('drain', more);
      }
      response.end();
    };
    more();
  });
  const bad = ['/hang', '/drip', '/gigabyte'];
  for (const path of bad) for (let i = 0; i < 3; i++) await newEndpoint(root, urlOf(path));
  await newEndpoint(root, urlOf('/healthy'));
  const begun = performance.now();
  const ids = await record(
    engine,
    own,
    Array.from({ length: 20 }, (_, i) => `v ${i}`),
  );
  await waitFor('the healthy one', () => idsAt('/healthy').length >= ids.length);
  const ms = performance.now() - begun;
  // One after the other, the attempts that hang would take ten minutes.
  assert.ok(ms < 30_000, `took ${ms} ms`);
  assert.deepEqual(new Set(idsAt('/healthy')), new Set(ids));
  const dripped = await waitFor('the end of a drip', async () => {
    const found = (await statuses('/drip')).filter(({ attempts }) => attempts > 0);
    return found.length > 0 && found;
  });
  const taken = { status: 'DELIVERED', attempts: 1, last_status_code: 200, last_error: '' };
  for (const { last_answer: _, ...one } of dripped as (typeof taken & { last_answer: string })[]) assert.deepEqual(one, taken);
  await waitFor('the gigabyte', async () => (await statuses('/gigabyte')).some(({ attempts }) => attempts === 1));
  // What the system buffers beside the 64 KiB that are read.
  assert.ok(most < 50e6, `${most} bytes were taken`);
});

test('a request without an answer ends after ten seconds, and is tried again', async () => {
  const [hung] = await waitFor('the end of an attempt', async () => {
    const sql = `SELECT d.status, d.last_attempt_at, d.last_duration_ms, d.next_at, d.last_error FROM webhook_deliveries d
      JOIN webhook_endpoints e ON e.id = d.endpoint_id WHERE e.url = $1 AND d.attempts = 1`;
    const found = await instance.raw(sql, urlOf('/hang'));
    return found.length > 0 && found;
  });
  assert.deepEqual([hung!.status, hung!.last_error], ['PENDING', `${receiver.host} could not be reached`]);
  const lasted = Number(hung!.last_duration_ms);
  assert.ok(lasted >= 9_990 && lasted < 20_000, `${lasted} ms`);
  const rest = Number(hung!.next_at) - Number(hung!.last_attempt_at) - lasted;
  assert.ok(rest >= 4_000, `${rest} ms`);
});

test('no delivery waits for the removal of old rows, of which one batch is under way', async (t) => {
  const client = (await instance.newSubOrganization('Swept', 1, 1)).clients[0]!;
  await newEndpoint(client, urlOf('/swept'));
  const { promise: held, resolve: goOn } = Promise.withResolvers<void>();
  let batches = 0;
  // The last look of a batch.
  t.mock.method(engine.store.read.streams, 'lapsed', async () => {
    batches++;
    await held;
    return [];
  });
  const ids: string[] = [];
  for (const subject of ['a', 'b']) {
    clock.advance(60_000);
    await waitFor('a batch', () => batches > 0);
    ids.push(...(await record(engine, client.organizationId, [subject])));
    await waitFor('the delivery', () => idsAt('/swept').length === ids.length);
  }
  goOn();
  assert.deepEqual([idsAt('/swept'), batches], [ids, 1]);
});

test('an activity reaches the endpoints of its organization and of the parent, if their filters name it', async () => {
  const { organizationId, clients } = await instance.newSubOrganization('Heard', 1, 1);
  const client = clients[0]!;
  const subscribed = (path: string, filters?: object) => ({
    name: path,
    url: urlOf(path),
    subscriptions: [{ eventType: 'ACTIVITY_UPDATES', ...(filters && { filtersJson: JSON.stringify(filters) }) }],
  });
  const made = async (who: typeof root, path: string, filters?: object) =>
    resultOf(await who.submit('CREATE_WEBHOOK_ENDPOINT', subscribed(path, filters)), 'createWebhookEndpointResult');
  await made(root, '/parent', { activityType: ['ACTIVITY_TYPE_CREATE_WALLET'] });
  await made(client, '/own', { activityType: ['ACTIVITY_TYPE_CREATE_WALLET'], activityStatus: ['ACTIVITY_STATUS_COMPLETED'] });
  await made(client, '/other', { activityType: ['ACTIVITY_TYPE_CREATE_USERS_V4'] });
  const { body } = await client.submit('CREATE_WALLET', { walletName: 'Main', accounts: [] });
  const [own, parent] = await waitFor('both', () => {
    const both = ['/own', '/parent'].map((path) => receiver.taken(path)[0]);
    return both.every((one) => one !== undefined) && both;
  });
  assert.equal(own!.eventId, parent!.eventId);
  assert.equal(own!.body, parent!.body);
  assert.deepEqual([JSON.parse(own!.body).id, JSON.parse(own!.body).status], [body.activity.id, 'ACTIVITY_STATUS_COMPLETED']);
  assert.equal(own!.headers['x-turnkey-organization-id'], organizationId);
  assert.equal(parent!.headers['x-turnkey-organization-id'], root.organizationId);
  assert.deepEqual(receiver.at('/other'), []);
});
